import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumGroups } from './own-browsers.ts';
import { startWorkerBench, type WorkerBench } from './worker-bench.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await startWorkerBench({ recycleAfter: 2, killGrace: 1000 });
  bench.origin.on('/page', '<!DOCTYPE html><title>P</title><body>page');
});
afterAll(() => bench.stop());

it('a browser is replaced after its pages, and no old one stays', async () => {
  const seen = new Set<number>();
  for (let i = 0; i < 5; i++) {
    const { metadata } = await bench.render(`http://shop.test/page?${i}`);
    expect(metadata.outcome).toBe('rendered');
    for (const group of chromiumGroups()) seen.add(group);
  }
  expect(seen.size).toBeGreaterThanOrEqual(3);
  const end = Date.now() + 10_000;
  while (chromiumGroups().length > 1) {
    if (Date.now() > end) throw new Error('old browsers stay');
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
});
