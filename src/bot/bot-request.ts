import type { Config } from '../config/schema.ts';
import type { HttpRequest } from '../harper/http.ts';
import type { BotTarget } from './bot-target.ts';

/** A request of the bot path, read: what every later step needs to know. */
export interface BotRequest {
  readonly http: HttpRequest;
  /** The snapshot that this request is served by from its start to its end. */
  readonly config: Config;
  readonly target: BotTarget;
  readonly deviceType: string;
  /** `<url>|<deviceType>` */
  readonly cacheKey: string;
  /** As `getBotName` gives it. */
  readonly botName: string;
  /** The same bounded, for metrics and rows. */
  readonly botLabel: string;
  /** The request is this service's own, of its worker: it goes to the origin, uncounted. */
  readonly own: boolean;
  /** Epoch ms when it came. */
  readonly receivedAt: number;
}

/** Whether the page of this request is one that is rendered. */
export function isPrerendered({ target }: Pick<BotRequest, 'target'>): boolean {
  return target.route?.mode === 'prerender';
}
