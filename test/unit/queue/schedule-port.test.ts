import { describe, expect, it } from 'vitest';
import { createSchedulePort, requestUrl } from '../../../src/queue/schedule-port.ts';
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

  it('does what it is asked though more requests than one draining reads are for another node, and sends those on once', async () => {
    const node = new QueueNode();
    const { schedule, residency } = node.thread();
    const mine = 'https://shop.test/mine';
    await node.due(mine);
    const owns = (url: string): boolean => url === mine;
    const { requests, clock } = node;
    const inbox = createSchedulePort({ schedule, requests, clock, residency: { ...residency, owns } });
    for (let index = 0; index < 25; index++) {
      const url = `https://shop.test/${index}`;
      await requests.put({ id: `changed|${url}`, url, kind: 'changed', at: 1 });
    }
    await requests.put({ id: `urgent|${mine}`, url: mine, kind: 'urgent', at: 2 });
    const before = requests.writes;
    for (let round = 0; round < 12; round++) await inbox.drain(10);
    expect(node.row(mine)?.urgentAt).toBe(clock.now());
    expect(requests.rows()).toHaveLength(25);
    expect(requests.writes - before).toBe(26);
  });

  it('keeps a request that is renewed while others are done', async () => {
    const node = new QueueNode();
    const { requests } = node;
    const urls = ['https://shop.test/a', 'https://shop.test/b'];
    for (const [at, url] of urls.entries()) {
      await node.due(url);
      await requests.put({ id: `changed|${url}`, url, kind: 'changed', at });
    }
    let commits = 0;
    node.scheduleRows.commit = async () => {
      const [url = ''] = urls;
      if (++commits === 2) await requests.put({ id: `changed|${url}`, url, kind: 'changed', at: 5 });
    };
    const { inbox } = node.thread();
    await inbox.drain(10);
    node.scheduleRows.commit = () => Promise.resolve();
    node.clock.jump(1_000);
    await inbox.drain(10);
    expect(node.row(urls[0]!)?.changedAt).toBe(node.clock.now());
    expect(requests.rows()).toEqual([]);
  });

  it('leaves a request, which is done later, while it is not known yet which nodes there are', async () => {
    const node = new QueueNode();
    const { requests, clock } = node;
    await node.due('https://shop.test/a');
    const { schedule, residency } = node.thread();
    let stable = false;
    const inbox = createSchedulePort({
      schedule,
      requests,
      clock,
      residency: { ...residency, isStable: () => stable },
    });
    await inbox.fileDue('https://shop.test/a', 'changed');
    expect(node.row('https://shop.test/a')?.changedAt).toBeUndefined();
    stable = true;
    await inbox.drain(10);
    expect(node.row('https://shop.test/a')?.changedAt).toBe(clock.now());
  });

  it('drops a row', async () => {
    const node = new QueueNode();
    await node.due('https://shop.test/a');
    await node.thread().inbox.drop('https://shop.test/a');
    expect(node.scheduleRows.rows()).toEqual([]);
  });
});
