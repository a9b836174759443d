import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearKeys } from '../../../src/config/nearest-key.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['domain', 'domains', 1],
    ['swrTlt', 'swrTtl', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
    ['abc', '', 3],
  ])('%s → %s', (a, b, distance) => expect(editDistance(a, b)).toBe(distance));

  it('is the same both ways, and zero only for equal texts (property)', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe('nearKeys', () => {
  const known = ['domains', 'origin', 'ingress', 'render', 'page'];

  it.each([
    ['domain', ['domains']],
    ['Domains', ['domains']],
    ['orgin', ['origin']],
    ['allowed_domains', ['domains']],
    ['pages', ['page']],
    ['xyz', []],
    ['', []],
    ['a'.repeat(10_000), []],
  ])('%s', (key, near) => expect(nearKeys(key, known)).toEqual(near));

  it('puts the likeliest first', () => {
    expect(nearKeys('swrTl', ['swapTtl', 'swrTtl'])[0]).toBe('swrTtl');
  });
});
