import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNotModified } from '../../../src/page/conditional.ts';

const validators = { etags: ['"v1"', '"v1-gzip"'], lastModified: Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
const check = (ifNoneMatch?: string, ifModifiedSince?: string): boolean =>
  isNotModified({ ifNoneMatch, ifModifiedSince }, validators);

describe('If-None-Match', () => {
  it('HTTP-04: matches weakly, in lists, and by *', () => {
    for (const header of ['"v1"', 'W/"v1"', '"v0", "v1"', '"v0",W/"v1-gzip"', '*', ' * ', ',, "v1" ,', '"a,b", "v1"']) {
      expect([header, check(header)]).toEqual([header, true]);
    }
  });

  it('does not match another tag, part of one or what is no tag', () => {
    for (const header of ['"v0"', 'v1', '"v1', 'w/"v1"', '""', '', '"v0" nonsense "v1"', '"*"', '"V1"']) {
      expect([header, check(header)]).toEqual([header, false]);
    }
  });

  it('wins over If-Modified-Since either way', () => {
    expect(check('"v1"', 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(true);
    expect(check('"v0"', 'Fri, 01 Jan 2100 00:00:00 GMT')).toBe(false);
  });

  it('never throws and is quick on any text', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (tag, date) => typeof check(tag, date) === 'boolean'));
    const startedAt = performance.now();
    expect(check('"x",'.repeat(5_000) + ' '.repeat(50_000) + 'x')).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe('If-Modified-Since', () => {
  it('matches from the second of the last change on, in all forms of an HTTP date', () => {
    expect(check(undefined, 'Fri, 02 Jan 2026 03:04:05 GMT')).toBe(true);
    expect(check(undefined, 'Friday, 02-Jan-26 03:04:05 GMT')).toBe(true);
    expect(check(undefined, 'Fri Jan  2 03:04:05 2026')).toBe(true);
    expect(check(undefined, 'Fri, 02 Jan 2026 03:04:04 GMT')).toBe(false);
  });

  it('does not match what is no HTTP date', () => {
    for (const header of ['', 'tomorrow', '2100-01-01', '9999999999999', 'Fri, 99 Jan 2100 00:00:00 GMT']) {
      expect([header, check(undefined, header)]).toEqual([header, false]);
    }
  });
});
