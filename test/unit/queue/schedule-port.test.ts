import { describe, expect, it } from 'vitest';
import { requestUrl } from '../../../src/queue/schedule-port.ts';
import { DAY, HOUR, QueueNode } from './queue-node.ts';

describe('the schedule port', () => {
  it('spreads first renders over the shorter of interval and time allowed, by the URL', async () => {
    const node = new QueueNode();
    const { inbox } = node.thread();
    const at = new Map<string, number>();
    for (let index = 0; index < 400; index++) {
      const url = `https://shop.test/${index}`;
      await inbox.fileFirst(url, { intervalMs: DAY, withinMs: HOUR, fromSitemap: false });
      at.set(url, node.row(url)!.nextRenderTime - node.clock.now());
    }
    const quarters = [0, 0, 0, 0];
    for (const wait of at.values()) quarters[Math.floor((wait / HOUR) * 4)]!++;
    expect(Math.min(...quarters)).toBeGreaterThan(60);
    const again = new QueueNode();
    await again
      .thread()
      .inbox.fileFirst('https://shop.test/7', { intervalMs: DAY, withinMs: HOUR, fromSitemap: false });
    expect(again.row('https://shop.test/7')!.nextRenderTime - again.clock.now()).toBe(at.get('https://shop.test/7'));
  });

  it('never overwrites a row, and marks only one that exists', async () => {
    const node = new QueueNode();
    const { inbox } = node.thread();
    await inbox.fileDue('https://shop.test/none', 'urgent');
    expect(node.scheduleRows.rows()).toEqual([]);
    await node.due('https://shop.test/a', {}, { nextRenderTime: 5, failures: 3 });
    await inbox.fileFirst('https://shop.test/a', { intervalMs: DAY, withinMs: HOUR, fromSitemap: false });
    expect(node.row('https://shop.test/a')?.nextRenderTime).toBe(5);
  });

  it('leaves a request for the owner of the URL, who does it when it arrives', async () => {
    const node = new QueueNode();
    const { inbox } = node.thread();
    const urls = Array.from({ length: 20 }, (_unused, index) => `https://shop.test/${index}`);
    node.nodeNames = ['node-1', 'node-2'];
    await node.clock.turn(1_000);
    const asker = node.thread().inbox;
    for (const url of urls) await asker.fileFirst(url, { intervalMs: DAY, withinMs: 0, fromSitemap: true });
    const asked = node.requests.rows();
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length + node.scheduleRows.rows().length).toBe(20);
    expect(requestUrl(asked[0]!.id)).toBe(asked[0]!.url);
    expect(await asker.drain(100)).toBe(0);
    // The other node, once it is the only one that knows of itself: the owner of all.
    node.nodeNames = ['node-1'];
    await node.clock.turn(1_000);
    expect(await inbox.drain(100)).toBe(asked.length);
    expect(node.scheduleRows.rows()).toHaveLength(20);
    expect(node.requests.rows()).toEqual([]);
  });

  it('drops a row', async () => {
    const node = new QueueNode();
    await node.due('https://shop.test/a');
    await node.thread().inbox.drop('https://shop.test/a');
    expect(node.scheduleRows.rows()).toEqual([]);
  });
});
