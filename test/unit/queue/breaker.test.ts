import { describe, expect, it } from 'vitest';
import { QueueNode, resultOf } from './queue-node.ts';

const MINUTE = 60_000;
const REFUSED = { statusCode: 403, outcome: 'error', reason: 'http-error' } as const;

async function refusing(count: number): Promise<QueueNode> {
  const node = new QueueNode({ render: { devices: ['desktop'], breaker: { failures: 5 } } });
  for (let index = 0; index < count; index++) await node.due(`https://shop.test/${index}`);
  await node.due('https://other.test/fine', {}, { nextRenderTime: node.clock.now() - 1 });
  return node;
}

describe('the breaker of a host', () => {
  it('opens at a burst of 401 and 403 over all threads, holds that host alone, and is alarmed', async () => {
    const node = await refusing(20);
    const threads = [node.thread(), node.thread()];
    const jobs = await threads[0]!.claim(5);
    for (const [index, job] of jobs.entries()) {
      await threads[index % 2]!.take(resultOf(job, { ...REFUSED, statusCode: index % 2 === 0 ? 401 : 403 }));
    }
    await node.clock.turn(1_000);
    const next = (await threads[1]!.claim(100)).map((job) => job.url);
    expect(next).toEqual(['https://other.test/fine']);
    expect(node.counted).toContain('queueBreaker opened shop.test');
    expect(node.logger.lines.join('\n')).toMatch(/error: The host shop\.test refused 5 renders/);
  });

  it('suppresses nothing: what the burst had suppressed before it was known is lifted', async () => {
    const node = await refusing(10);
    const thread = node.thread();
    for (const job of await thread.claim(5)) await thread.take(resultOf(job, REFUSED));
    expect(node.targetRows.rows().filter((target) => target.state !== null)).toEqual([]);
    expect(node.targetRows.rows()).toHaveLength(11);
  });

  it('tries one job after its pause; a good answer closes it', async () => {
    const node = await refusing(20);
    const thread = node.thread();
    for (const job of await thread.claim(5)) await thread.take(resultOf(job, REFUSED));
    await node.clock.turn(5 * MINUTE + 1_000);
    const trial = (await thread.claim(100)).filter((job) => job.url.includes('shop.test'));
    expect(trial).toHaveLength(1);
    await node.clock.turn(1_000);
    expect(await thread.claim(100)).toEqual([]);
    await thread.take(resultOf(trial[0]!));
    await node.clock.turn(1_000);
    expect((await thread.claim(100)).length).toBeGreaterThan(10);
    expect(node.counted).toContain('queueBreaker closed shop.test');
  });

  it('holds up no other host while it waits for the job that tries its host', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'], breaker: { failures: 5 }, queueWindow: 100 } });
    const at = node.clock.now() - 60 * MINUTE;
    for (let index = 0; index < 200; index++) await node.due(`https://shop.test/${index}`, {}, { nextRenderTime: at });
    for (let index = 0; index < 50; index++) await node.due(`https://other.test/${index}`);
    const thread = node.thread();
    for (const job of await thread.claim(5)) await thread.take(resultOf(job, REFUSED));
    await node.clock.turn(5 * MINUTE + 1_000);
    const hosts = (await node.thread().claim(40)).map((job) => new URL(job.url).host);
    expect(hosts.filter((host) => host === 'shop.test')).toHaveLength(1);
    expect(hosts).toHaveLength(40);
  });

  it('opens again when the job that tries it is refused', async () => {
    const node = await refusing(20);
    const thread = node.thread();
    for (const job of await thread.claim(5)) await thread.take(resultOf(job, REFUSED));
    await node.clock.turn(5 * MINUTE + 1_000);
    const trial = (await thread.claim(100)).find((job) => job.url.includes('shop.test'));
    await thread.take(resultOf(trial!, REFUSED));
    await node.clock.turn(MINUTE);
    expect(await thread.claim(100)).toEqual([]);
    expect(node.targetRows.rows().filter((target) => target.state !== null)).toEqual([]);
  });

  it('stays closed when refusals are spread over more than its window', async () => {
    const node = await refusing(20);
    const thread = node.thread();
    for (const job of await thread.claim(6)) {
      await thread.take(resultOf(job, { ...REFUSED, statusCode: 401 }));
      await node.clock.turn(MINUTE / 3);
    }
    expect(await thread.breaker.list(10)).toEqual([]);
  });

  it('stays open when it opens anew while the job that tries it is granted', async () => {
    const node = await refusing(20);
    const [a, b] = [node.thread(), node.thread()];
    for (const job of await a.claim(5)) await a.take(resultOf(job, REFUSED));
    await node.clock.turn(5 * MINUTE + 1_000);
    const { put } = node.breakers;
    let refused: Promise<unknown> | undefined;
    node.breakers.put = async (row) => {
      if (row.trialUntil > 0) {
        refused = b.breaker.refused('shop.test', { url: 'https://shop.test/1', suppressed: false });
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      return put.call(node.breakers, row);
    };
    await a.breaker.granted('shop.test', node.clock.now() + MINUTE);
    await refused;
    expect(a.breaker.admits('shop.test')).toBe(false);
    expect(node.breakers.rows()[0]?.openUntil).toBeGreaterThan(node.clock.now());
  });

  it('is listed though as many hosts as are listed at most have refused without opening theirs', async () => {
    const node = await refusing(0);
    const closed = { refusals: [], openUntil: 0, trialUntil: 0 };
    for (const host of ['a.test', 'b.test', 'c.test']) await node.breakers.put({ host, ...closed });
    await node.breakers.put({ host: 'd.test', refusals: [], openUntil: node.clock.now() + MINUTE, trialUntil: 0 });
    const thread = node.thread();
    expect((await thread.breaker.list(2)).map(({ host }) => host)).toEqual(['d.test']);
  });
});

it('paused scopes are listed behind any number of resumed ones', async () => {
  const node = new QueueNode();
  const { pause } = node.thread();
  const by = { who: 'ada', reason: 'test' };
  for (const host of ['a.test', 'b.test', 'c.test']) await pause.resume(host, by);
  await pause.pause('d.test', by);
  expect((await pause.list(2)).map(({ scope }) => scope)).toEqual(['d.test']);
});
