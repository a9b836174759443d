import { describe, expect, it } from 'vitest';
import { fractionOf, hashText } from '../../../src/cluster/hash.ts';
import { createResidency } from '../../../src/cluster/residency.ts';
import { TurnedClock } from '../fakes/turned-clock.ts';

const URLS = Array.from({ length: 6_000 }, (_unused, index) => `https://shop.test/product/prd-${index}/slug.jsp`);

function residency(self: string, names: readonly (string | undefined)[], clock = new TurnedClock()) {
  return createResidency({ self, nodeNames: () => names, clock });
}

describe('residency', () => {
  it('is the same on every node that knows the same nodes, in whatever order', () => {
    const a = residency('a', ['b', 'c', 'a']);
    const b = residency('b', ['c', undefined, 'a', 'b']);
    expect(a.known()).toEqual(['a', 'b', 'c']);
    expect(URLS.map(a.ownerOf)).toEqual(URLS.map(b.ownerOf));
    expect(URLS.filter(a.owns).length + URLS.filter(b.owns).length).toBeLessThan(URLS.length);
  });

  it('shares URLs out evenly, and moves only the share of a node that leaves', () => {
    const three = residency('a', ['b', 'c']);
    const two = residency('a', ['b']);
    for (const node of ['a', 'b', 'c']) {
      const share = URLS.filter((url) => three.ownerOf(url) === node).length / URLS.length;
      expect(share).toBeGreaterThan(0.3);
      expect(share).toBeLessThan(0.37);
    }
    for (const url of URLS) if (three.ownerOf(url) !== 'c') expect(two.ownerOf(url)).toBe(three.ownerOf(url));
  });

  it('is stable only once the list of nodes has stayed the same for some seconds', async () => {
    const clock = new TurnedClock();
    const names: (string | undefined)[] = [];
    const one = residency('a', names, clock);
    expect(one.isStable()).toBe(false);
    await clock.turn(2_000);
    names.push('b', undefined);
    await clock.turn(2_000);
    expect(one.isStable()).toBe(false);
    await clock.turn(3_000);
    expect(one.isStable()).toBe(true);
    expect(one.known()).toEqual(['a', 'b']);
  });
});

it('hashes are the same for ever, and spread', () => {
  expect(hashText('https://shop.test/')).toBe(3_520_497_907);
  const mean = URLS.reduce((sum, url) => sum + fractionOf(url), 0) / URLS.length;
  expect(mean).toBeGreaterThan(0.48);
  expect(mean).toBeLessThan(0.52);
});
