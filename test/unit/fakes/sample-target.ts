import type { Target } from '../../../src/target/target.ts';

/** A Target in rotation. */
export function sampleTarget(url: string, over: Partial<Target> = {}): Target {
  return {
    url,
    sitemapUrl: null,
    source: 'discovery',
    discoveredBy: null,
    createdAt: 0,
    firstRenderedAt: null,
    renderInterval: null,
    demandInterval: null,
    state: null,
    suppressedReason: null,
    suppressedCanonical: null,
    suppressedAt: null,
    strikes: 0,
    unlistedAt: null,
    movedTo: null,
    ...over,
  };
}
