import { describe, expect, it } from 'vitest';
import { QueueNode, resultOf, type QueueThread } from './queue-node.ts';

const MINUTE = 60_000;
const POISON = 'https://shop.test/poison';

/** Three leases that have ended with one device's report each; the first of them cannot be settled. */
async function ended(): Promise<{ node: QueueNode; thread: QueueThread }> {
  const node = new QueueNode();
  await node.due(POISON, {}, { nextRenderTime: node.clock.now() - 5_000 });
  for (const name of ['a', 'b']) await node.due(`https://shop.test/${name}`);
  const { recordFailure } = node.pages;
  node.pages.recordFailure = (url, device) =>
    url === POISON ? Promise.reject(new Error('no room')) : recordFailure.call(node.pages, url, device);
  const thread = node.thread();
  for (let claim = 0; claim < 3; claim++) {
    const [job] = await thread.claim(2);
    expect(await thread.take(resultOf(job!))).toBe('taken');
  }
  await node.clock.turn(2 * MINUTE);
  return { node, thread };
}

describe('lease expiry', () => {
  it('settles every other lease when one cannot be settled', async () => {
    const { node, thread } = await ended();
    await thread.expiry.sweep();
    for (const name of ['a', 'b']) {
      expect(node.row(`https://shop.test/${name}`)?.nextRenderTime).toBeGreaterThan(node.clock.now());
    }
    expect(node.leases.rows()).toHaveLength(1);
    expect(node.logger.lines.join('\n')).toMatch(/error: The lease of https:\/\/shop\.test\/poison .* no room/);
  });

  it('tries it again only now and then, and in the end backs the URL off and drops the lease', async () => {
    const { node, thread } = await ended();
    await thread.expiry.sweep();
    const lines = node.logger.lines.length;
    await node.clock.turn(250);
    await thread.expiry.sweep();
    expect(node.logger.lines).toHaveLength(lines);
    for (let round = 0; round < 60; round++) {
      await node.clock.turn(10_000);
      await thread.expiry.sweep();
    }
    expect(node.leases.rows()).toEqual([]);
    expect(node.reports.rows()).toEqual([]);
    expect(node.row(POISON)?.failures).toBe(1);
  });

  it('settles a lease that could not be settled before', async () => {
    const { node, thread } = await ended();
    await thread.expiry.sweep();
    node.pages.recordFailure = async () => 'none';
    await node.clock.turn(10_000);
    await thread.expiry.sweep();
    expect(node.leases.rows()).toEqual([]);
    expect(node.row(POISON)).toMatchObject({ failures: 0 });
  });

  it('stops between two batches when it is told to', async () => {
    const { node, thread } = await ended();
    await thread.expiry.sweep(() => true);
    expect(node.leases.rows()).toHaveLength(3);
  });
});
