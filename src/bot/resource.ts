import type { PrerenderError } from '../errors.ts';
import type { PageBody } from '../page/bodies.ts';
import type { PrerenderedPage } from '../page/page.ts';
import type { CacheStatus } from './bot-target.ts';
import type { FlightAnswer } from './origin/single-flight.ts';

/** A stored page with its body, read. */
export interface ServedPage {
  readonly row: PrerenderedPage;
  /** Version of the row. */
  readonly version: number;
  readonly body: PageBody;
}

/** What answers a request: a page, the origin, or nothing but the error of the origin. */
export type Resource = { readonly cacheStatus: CacheStatus } & (
  | { readonly source: 'cache'; readonly page: ServedPage }
  | { readonly source: 'origin'; readonly answer: FlightAnswer; readonly shared: boolean }
  | { readonly source: 'none'; readonly error: PrerenderError }
);
