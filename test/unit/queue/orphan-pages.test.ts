import { expect, it } from 'vitest';
import { createOrphanPages } from '../../../src/queue/orphan-pages.ts';
import { DAY, QueueNode } from './queue-node.ts';

it('puts pages off, and never sweeps one at its first sight, when there are more than are remembered', async () => {
  const node = new QueueNode();
  const { clock, config, pages } = node;
  const orphans = createOrphanPages({ ...node.thread(), clock, config, pages }, 3);
  const urls = Array.from({ length: 5 }, (_unused, index) => `https://shop.test/${index}`);
  for (const url of urls) {
    const facts = { statusCode: 200, headers: {}, fetchedAt: 1, expiresAt: 2, isIndexable: true, canonical: null };
    await pages.store({ url, deviceType: 'desktop', html: Buffer.from('<h1>Page</h1>'), ...facts });
  }
  const walk = async (): Promise<number> => {
    let swept = 0;
    for (const key of pages.keys()) if (await orphans.check({ key, url: key.slice(0, key.indexOf('|')) })) swept++;
    orphans.walked();
    clock.jump(DAY);
    return swept;
  };
  expect([await walk(), await walk(), await walk()]).toEqual([0, 3, 2]);
});
