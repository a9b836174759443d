import { describe, expect, it } from 'vitest';
import { beatsOriginError, freshnessOf, isHardExpired, isPastErrorTtl } from '../../../src/page/freshness.ts';

const rules = { swrTtl: 100, staleIfErrorTtl: 1_000, redirectTtl: 50 };
const page = { statusCode: 200, expiresAt: 1_000, lastCached: 900 };

describe('freshness', () => {
  it('is fresh until it expires, then swr, then stale', () => {
    const at = [999, 1_000, 1_099, 1_100].map((now) => freshnessOf(page, now, rules));
    expect(at).toEqual(['fresh', 'swr', 'swr', 'stale']);
  });

  it('is stale for a page expired by force, which beats no error', () => {
    const forced = { ...page, expiresAt: 0 };
    expect(isHardExpired(forced)).toBe(true);
    expect(freshnessOf(forced, 10, rules)).toBe('stale');
    expect(beatsOriginError(forced, 10, rules)).toBe(false);
    expect(isPastErrorTtl(forced, 1_000, rules)).toBe(true);
  });

  it('replays an answer that is not a 200 for redirectTtl at most and never expired', () => {
    const gone = { ...page, statusCode: 404 };
    expect([949, 950].map((now) => freshnessOf(gone, now, rules))).toEqual(['fresh', 'stale']);
    expect(freshnessOf({ ...gone, expiresAt: 910 }, 920, rules)).toBe('stale');
    expect(beatsOriginError(gone, 920, rules)).toBe(false);
  });

  it('beats an origin error for staleIfErrorTtl after it expired', () => {
    expect([500, 1_999, 2_000].map((now) => beatsOriginError(page, now, rules))).toEqual([true, true, false]);
    expect([1_999, 2_000].map((now) => isPastErrorTtl(page, now, rules))).toEqual([false, true]);
  });
});
