import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RenderJob } from '../../../src/protocol/job.ts';
import { DAY, HOUR, QueueNode, resultOf } from './queue-node.ts';

const MINUTE = 60_000;

/** Time for a reading in the background. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

describe('claim', () => {
  it('grants one job per URL and device, with what the worker needs', async () => {
    const node = new QueueNode();
    await node.due('https://shop.test/a', { sitemapUrl: 'https://shop.test/sitemap.xml' });
    const jobs = await node.thread().claim(10);
    expect(jobs.map((job) => job.deviceType)).toEqual(['desktop', 'mobile']);
    expect(jobs[0]).toMatchObject({
      url: 'https://shop.test/a',
      callbackOrigin: 'node-1:9926',
      isFromSitemap: true,
      expiresAt: node.clock.now() + 2 * MINUTE,
      renderBudget: 30_000,
    });
    expect(new Set(jobs.map((job) => job.id)).size).toBe(2);
  });

  it('grants nothing twice, over two threads', async () => {
    const node = new QueueNode();
    for (let index = 0; index < 20; index++) await node.due(`https://shop.test/${index}`);
    const [a, b] = [node.thread(), node.thread()];
    const jobs = (await Promise.all([a.claim(15), b.claim(15), a.claim(15), b.claim(15)])).flat();
    expect(jobs).toHaveLength(40);
    expect(new Set(jobs.map((job) => `${job.url}|${job.deviceType}`)).size).toBe(40);
  });

  it('goes on with the devices that the last claim had no room for, in the same lease', async () => {
    const node = new QueueNode({ render: { devices: ['desktop', 'mobile', 'tablet'] } });
    await node.due('https://shop.test/a');
    await node.due('https://shop.test/b');
    const [first, second] = [node.thread(), node.thread()];
    const jobs = [...(await first.claim(1)), ...(await second.claim(1)), ...(await first.claim(4))];
    expect(jobs.map((job) => job.deviceType)).toEqual(['desktop', 'mobile', 'tablet', 'desktop', 'mobile', 'tablet']);
    for (const job of jobs) expect(await second.take(resultOf(job))).toBe('taken');
    expect(node.row(jobs[0]!.url)?.nextRenderTime).toBe(node.clock.now() + DAY);
  });

  it('orders by lateness in cadences, the sitemap boost, and the head start of marks', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'] } });
    const now = node.clock.now();
    const late = (cadences: number, cadence = DAY) => ({ nextRenderTime: now - cadences * cadence, cadence });
    await node.due('https://shop.test/slow', {}, late(0.3, 7 * DAY));
    await node.due('https://shop.test/fast', {}, late(0.45, HOUR));
    await node.due('https://shop.test/listed', {}, { ...late(0.2), fromSitemap: true });
    await node.due('https://shop.test/urgent', {}, { ...late(0), urgentAt: now, markedAt: now });
    await node.due('https://shop.test/changed', {}, { ...late(0), changedAt: now, markedAt: now });
    const jobs = await node.thread().claim(10);
    expect(jobs.map((job) => new URL(job.url).pathname)).toEqual(['/changed', '/urgent', '/fast', '/listed', '/slow']);
  });

  it('finds a marked row behind a backlog larger than the window', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'], queueWindow: 100 } });
    const now = node.clock.now();
    for (let index = 0; index < 300; index++) {
      await node.due(`https://shop.test/${index}`, {}, { nextRenderTime: now - DAY / 2 - index });
    }
    await node.due('https://shop.test/news', {}, { nextRenderTime: now + DAY });
    const thread = node.thread();
    await thread.inbox.fileDue('https://shop.test/news', 'changed');
    await node.clock.turn(1_000);
    const first = await thread.claim(2);
    expect(first.map((job) => job.url)).toContain('https://shop.test/news');
  });

  it('leaves out what is not due, and a row whose Target is missing', async () => {
    const node = new QueueNode();
    await node.due('https://shop.test/later', {}, { nextRenderTime: node.clock.now() + 1 });
    await node.due('https://shop.test/orphan');
    await node.targetRows.delete('https://shop.test/orphan');
    expect(await node.thread().claim(10)).toEqual([]);
  });

  it('is never short while rows behind paused ones are due', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'], queueWindow: 100 } });
    const now = node.clock.now();
    for (let index = 0; index < 1_500; index++) {
      await node.due(`https://other.test/${index}`, {}, { nextRenderTime: now - DAY });
    }
    for (let index = 0; index < 10; index++) await node.due(`https://shop.test/${index}`);
    const thread = node.thread();
    await thread.pause.pause('other.test', { who: 'ada', reason: 'deployment' });
    let granted: string[] = [];
    for (let round = 0; round < 5 && granted.length === 0; round++) {
      granted = (await thread.claim(10)).map((job) => job.url);
      await node.clock.turn(500);
    }
    expect(granted).toHaveLength(10);
    await thread.pause.resume('other.test', { who: 'ada', reason: 'done' });
    await node.clock.turn(1_000);
    expect((await thread.claim(10))[0]?.url).toContain('other.test');
  });

  it('is never short, claim after claim, while more rows than one reading sees cannot be granted', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'], queueWindow: 100 } });
    const now = node.clock.now();
    for (let index = 0; index < 1_500; index++) {
      await node.due(`https://other.test/${index}`, {}, { nextRenderTime: now - DAY });
    }
    for (let index = 0; index < 1_500; index++) await node.due(`https://shop.test/${index}`);
    const thread = node.thread();
    await thread.pause.pause('other.test', { who: 'ada', reason: 'deployment' });
    const granted: number[] = [];
    for (let round = 0; round < 100; round++) {
      const jobs = await thread.claim(10);
      granted.push(jobs.length);
      for (const job of jobs) await thread.take(resultOf(job));
      await node.clock.turn(250);
      await turns(60);
    }
    const first = granted.findIndex((jobs) => jobs > 0);
    expect(first).toBeLessThan(6);
    expect(granted.slice(first).filter((jobs) => jobs < 10)).toEqual([]);
    await thread.pause.resume('other.test', { who: 'ada', reason: 'done' });
    let oldest: RenderJob | undefined;
    for (let round = 0; round < 60 && !oldest; round++) {
      oldest = (await thread.claim(10)).find((job) => job.url.includes('other.test'));
      await node.clock.turn(250);
      await turns(60);
    }
    expect(oldest).toBeDefined();
  });

  it('finds a new mark behind more marked rows than it can read that cannot be granted', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'], queueWindow: 100 } });
    const now = node.clock.now();
    for (let index = 0; index < 350; index++) {
      await node.due(`https://other.test/${index}`, {}, { changedAt: now - HOUR, markedAt: now - HOUR });
    }
    for (let index = 0; index < 600; index++) {
      await node.due(`https://shop.test/${index}`, {}, { nextRenderTime: now - DAY / 2 });
    }
    await node.due('https://shop.test/news', {}, { changedAt: now, markedAt: now });
    const thread = node.thread();
    await thread.pause.pause('other.test', { who: 'ada', reason: 'deployment' });
    const granted: string[] = [];
    for (let round = 0; round < 20; round++) {
      for (const job of await thread.claim(20)) {
        granted.push(job.url);
        await thread.take(resultOf(job));
      }
      await node.clock.turn(1_000);
      await nextTurn();
    }
    expect(granted).toContain('https://shop.test/news');
  });

  it('grants nothing while all is paused, or before the cluster has settled', async () => {
    const node = new QueueNode();
    await node.due('https://shop.test/a');
    const thread = node.thread();
    await thread.pause.pause('*', { who: 'ada', reason: 'night' });
    expect(await thread.claim(10)).toEqual([]);
    await thread.pause.resume('*', { who: 'ada', reason: 'day' });
    expect(await thread.claim(10)).toHaveLength(2);
  });

  it('honours, after a restart, a lease that may still be running, and grants it again once it has ended', async () => {
    const node = new QueueNode();
    await node.due('https://shop.test/a');
    const before = await node.thread().claim(10);
    node.restart();
    const after = node.thread();
    expect(await after.claim(10)).toEqual([]);
    expect(await after.take(resultOf(before[0]!))).toBe('taken');
    await node.clock.turn(2 * MINUTE);
    await after.expiry.sweep();
    expect(node.row('https://shop.test/a')?.nextRenderTime).toBe(node.clock.now() + DAY);
  });

  it('JOB-03: a job that never answers is backed off after three leases and starves nothing', async () => {
    const node = new QueueNode({ render: { maxClaim: 2 } });
    await node.due('https://shop.test/poison', {}, { nextRenderTime: node.clock.now() - 5 * DAY });
    for (let index = 0; index < 100; index++) await node.due(`https://shop.test/${index}`);
    const thread = node.thread();
    let leases = 0;
    for (let round = 0; round < 10; round++) {
      for (let claim = 0; claim < 11; claim++) {
        for (const job of await thread.claim(2)) {
          if (job.url.endsWith('poison')) leases += job.deviceType === 'desktop' ? 1 : 0;
          else expect(await thread.take(resultOf(job))).toBe('taken');
        }
      }
      await node.clock.turn(2 * MINUTE + 1);
      await thread.expiry.sweep();
      // The window is read in the background.
      await nextTurn();
    }
    const rendered = node.targetRows.rows().filter((target) => target.firstRenderedAt !== null);
    expect(rendered).toHaveLength(100);
    expect(leases).toBeGreaterThanOrEqual(3);
    expect(leases).toBeLessThan(8);
    expect(node.row('https://shop.test/poison')?.failures).toBeGreaterThan(0);
    expect(node.logger.lines.join('\n')).toContain(
      'leases in a row of https://shop.test/poison ended without a result',
    );
  });
});
