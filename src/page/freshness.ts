import type { PrerenderedPage } from './page.ts';

/** `fresh`: served as `hit`; `swr`: expired, still served; `stale`: the origin answers. */
export type Freshness = 'fresh' | 'swr' | 'stale';

/** The times of the `page` options, in ms. */
export interface FreshnessRules {
  readonly swrTtl: number;
  readonly staleIfErrorTtl: number;
  readonly redirectTtl: number;
}

type Dated = Pick<PrerenderedPage, 'statusCode' | 'expiresAt' | 'lastCached'>;

/** Whether the page was expired by force (`expiresAt` 0): it is not served, not even for an origin that is down. */
export function isHardExpired(page: Pick<PrerenderedPage, 'expiresAt'>): boolean {
  return page.expiresAt === 0;
}

/**
 * How good the page is at `now` (epoch ms). An answer that is not a 200 is replayed for `redirectTtl` after it was stored, at
 * most until it expires, and is never served expired.
 */
export function freshnessOf(page: Dated, now: number, rules: FreshnessRules): Freshness {
  if (isHardExpired(page)) return 'stale';
  if (page.statusCode !== 200) {
    return now < Math.min(page.expiresAt, page.lastCached + rules.redirectTtl) ? 'fresh' : 'stale';
  }
  if (now < page.expiresAt) return 'fresh';
  return now < page.expiresAt + rules.swrTtl ? 'swr' : 'stale';
}

/** Whether the page may stand in for an origin that is down: a 200, not expired by force, inside `staleIfErrorTtl`. */
export function beatsOriginError(page: Dated, now: number, rules: FreshnessRules): boolean {
  return !isHardExpired(page) && page.statusCode === 200 && now < page.expiresAt + rules.staleIfErrorTtl;
}

/** Whether a page whose renders fail has outlived its use as a stand-in; it may be evicted then. */
export function isPastErrorTtl(page: Dated, now: number, rules: FreshnessRules): boolean {
  return now >= page.expiresAt + rules.staleIfErrorTtl;
}
