import { describe, expect, it } from 'vitest';
import { createCoverage } from '../../../src/queue/coverage.ts';
import { sampleTarget } from '../fakes/sample-target.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
const url = (n: number): string => `https://shop.example/p/${String(n).padStart(6, '0')}`;

/** `count` Targets of which those that `isListed` names are in a sitemap and those that `hasPage` names have a page. */
function rig(count: number, isListed: (n: number) => boolean, hasPage: (n: number) => boolean) {
  const values: number[] = [];
  let reads = 0;
  const numberOf = (text: string): number => Number(text.slice(-6));
  const coverage = createCoverage({
    targets: {
      page: async (after, limit) => {
        reads++;
        const start = after === '' ? 0 : numberOf(after) + 1;
        const numbers = Array.from({ length: Math.max(0, Math.min(limit, count - start)) }, (_, i) => start + i);
        return numbers.map((n) => sampleTarget(url(n), { sitemapUrl: isListed(n) ? SITEMAP : null }));
      },
    },
    pages: {
      find: (key) => (hasPage(numberOf(key.split('|')[0] ?? '')) ? ({ version: 1, value: {} } as never) : undefined),
    },
    metrics: { count: () => undefined, value: (_key, value) => void values.push(value) },
    devices: () => ['desktop', 'mobile'],
  });
  return { coverage, values, reads: () => reads };
}

const goOn = (): boolean => false;

describe('coverage', () => {
  it('is the share of listed Targets that have a page', async () => {
    const { coverage, values } = rig(
      400,
      (n) => n < 100,
      (n) => n < 25,
    );
    await coverage.measure(goOn);
    expect(values).toEqual([0.25]);
  });

  it('says nothing while no Target is listed', async () => {
    const { coverage, values } = rig(
      50,
      () => false,
      () => true,
    );
    await coverage.measure(goOn);
    expect(values).toEqual([]);
  });

  it('looks at a bounded number of Targets, goes on where it was, and starts over at the end', async () => {
    const { coverage, values, reads } = rig(
      3_000,
      () => true,
      (n) => n < 2_000,
    );
    await coverage.measure(goOn);
    expect(reads()).toBe(10);
    expect(values).toEqual([1]);
    await coverage.measure(goOn);
    expect(values.at(-1)).toBeCloseTo(2_000 / 3_000);
    await coverage.measure(goOn);
    expect(values.at(-1)).toBeCloseTo(4_000 / 5_000);
  });

  it('stops between two steps when it is told to', async () => {
    const { coverage, reads } = rig(
      3_000,
      () => true,
      () => true,
    );
    await coverage.measure(() => reads() >= 2);
    expect(reads()).toBe(2);
  });
});
