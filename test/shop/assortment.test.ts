import { describe, expect, test } from 'vitest';
import { createAssortment, FACET_GROUPS, FACET_VALUES } from './assortment.ts';
import { createShelf } from './shelf.ts';

describe('assortment', () => {
  test('the same seed gives the same product in every size, another seed another one', () => {
    const small = createAssortment(10, 1).product(7);
    expect(createAssortment(100_000, 1).product(7)).toEqual(small);
    expect(createAssortment(10, 2).product(7)).not.toEqual(small);
  });

  test('ids outside the assortment have no product', () => {
    const assortment = createAssortment(10, 1);
    expect([0, 11, -1, 1.5, NaN].map((id) => assortment.product(id))).toEqual(Array(5).fill(undefined));
    expect(assortment.product(10)?.id).toBe(10);
  });

  test('slugs are clean and prices end in 99', () => {
    const assortment = createAssortment(500, 1);
    for (let id = 1; id <= 500; id += 1) {
      const product = assortment.product(id);
      expect(product?.slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect((product?.cents ?? 0) % 100).toBe(99);
    }
  });

  test('matching gives exactly the products with that value', () => {
    const assortment = createAssortment(300, 3);
    const wanted = new Map([['Color', new Set(['Navy'])]] as const);
    const expected = Array.from({ length: 300 }, (_, n) => n + 1).filter(
      (id) => assortment.product(id)?.colour === 'Navy',
    );
    expect([...assortment.matching(wanted)]).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);
  });

  test('two hundred products hold every single facet value', () => {
    const assortment = createAssortment(200, 1);
    for (const group of FACET_GROUPS) {
      for (const value of FACET_VALUES[group]) {
        expect([...assortment.matching(new Map([[group, new Set([value])]]))], value).not.toEqual([]);
      }
    }
  });

  test('opening a hundred thousand products computes none of them', () => {
    const before = process.memoryUsage().heapUsed;
    const shelf = createShelf(createAssortment(100_000, 1), () => 0);
    expect(shelf.listedCount()).toBe(100_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    expect(shelf.offer(100_000)?.id).toBe(100_000);
  });
});
