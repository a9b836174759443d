import { describe, expect, it } from 'vitest';
import { QueueNode, resultOf } from './queue-node.ts';

const URL_A = 'https://shop.test/a';
const MINUTE = 60_000;

describe('the lease book', () => {
  it('forgets, in the thread that grants, what the thread that keeps the queue has dropped', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'] } });
    await node.due(URL_A);
    const [granting, keeping] = [node.thread(), node.thread()];
    expect(await granting.claim(1)).toHaveLength(1);
    await node.targetRows.delete(URL_A);
    await node.scheduleRows.delete(URL_A);
    await node.clock.turn(3 * MINUTE);
    await keeping.expiry.sweep();
    await node.due(URL_A);
    // The window may have been read just before.
    const jobs = await granting.claim(1);
    await node.clock.turn(1_000);
    expect([...jobs, ...(await granting.claim(1))]).toHaveLength(1);
  });

  it('takes no settled lease for a running one after a restart, though it would have run longer than a later one', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'], leaseTime: 30 * MINUTE } });
    await node.due(URL_A);
    const thread = node.thread();
    const [first] = await thread.claim(1);
    await thread.take(resultOf(first!));
    node.config.set({ render: { leaseTime: MINUTE } });
    await node.clock.turn(1_000);
    await thread.inbox.fileDue(URL_A, 'urgent');
    await node.clock.turn(1_000);
    expect(await thread.claim(1)).toHaveLength(1);
    await node.clock.turn(2 * MINUTE);
    await thread.expiry.sweep();
    expect(node.leases.rows()).toHaveLength(1);
    node.restart();
    expect(await node.thread().claim(1)).toHaveLength(1);
  });
});
