import type { CompiledRoute } from '../url/routes.ts';
import type { Scheme } from '../url/host.ts';

/** What a request is about, whoever asks: the same for every spelling's own request target. */
export interface BotTarget {
  /** Canonical URL. */
  readonly url: string;
  readonly scheme: Scheme;
  /** `host[:port]`, normalised. */
  readonly host: string;
  /** Undefined: unclassified. */
  readonly route: CompiledRoute | undefined;
  /** `route.name`, or `unclassified`. */
  readonly routeName: string;
  /** What the origin is asked: the path byte for byte, the query less the parameters that the route does not keep. */
  readonly originPath: string;
}

/** How a page came to be served, or why it was not (design.md §5). */
export type CacheStatus =
  | 'hit'
  | 'swr'
  | 'stale'
  | 'invalidated'
  | 'blob-missing'
  | 'blob-timeout'
  | 'peer-rescue'
  | 'miss'
  | 'bypass'
  | 'skip';

/** Metric label of a path that matches no route. */
export const UNCLASSIFIED = 'unclassified';
