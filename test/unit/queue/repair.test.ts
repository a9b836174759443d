import { describe, expect, it } from 'vitest';
import { DAY, HOUR, QueueNode, resultOf } from './queue-node.ts';

const URL_A = 'https://shop.test/a';

/** Runs the repair while its pauses pass. */
async function repair(node: QueueNode, { repair } = node.thread()): Promise<object> {
  let outcome: object | undefined;
  const run = repair.run(() => false).then((done) => (outcome = done));
  while (!outcome) {
    await new Promise((resolve) => setImmediate(resolve));
    await node.clock.turn(50);
  }
  await run;
  return outcome;
}

function storePage(node: QueueNode, url: string, page: { fetchedAt?: number; expiresAt?: number } = {}): Promise<void> {
  return node.pages.store({
    url,
    deviceType: 'desktop',
    statusCode: 200,
    headers: {},
    html: Buffer.from('<h1>Page</h1>'),
    fetchedAt: 1,
    expiresAt: 2,
    isIndexable: true,
    canonical: null,
    ...page,
  });
}

/** Knows of a second node from now on; answers which of the URLs are that one's. */
async function joinedBy(node: QueueNode, urls: readonly string[]): Promise<Set<string>> {
  node.nodeNames = ['node-1', 'node-2'];
  await node.clock.turn(1_000);
  const { residency } = node.thread();
  return new Set(urls.filter((url) => !residency.owns(url)));
}

describe('repair', () => {
  it('gives a Target without a schedule row one, within firstRenderWithin', async () => {
    const node = new QueueNode({ render: { repair: { batch: 10 } } });
    for (let index = 0; index < 35; index++) await node.due(`https://shop.test/${index}`);
    for (const row of node.scheduleRows.rows()) await node.scheduleRows.delete(row.url);
    await node.due('https://shop.test/kept');
    const before = node.clock.now();
    expect(await repair(node)).toEqual({ scheduled: 35, deferred: 0, dropped: 0, swept: 0 });
    for (const row of node.scheduleRows.rows().filter(({ url }) => !url.endsWith('kept'))) {
      expect(row.nextRenderTime).toBeGreaterThanOrEqual(before);
      expect(row.nextRenderTime).toBeLessThanOrEqual(before + 2 * HOUR);
    }
    expect(await repair(node)).toEqual({ scheduled: 0, deferred: 0, dropped: 0, swept: 0 });
  });

  it('gives a Target that has a page the time when that expires', async () => {
    const node = new QueueNode();
    await node.due(URL_A);
    await node.scheduleRows.delete(URL_A);
    const expiresAt = node.clock.now() + 20 * HOUR;
    await storePage(node, URL_A, { expiresAt });
    await repair(node);
    expect(node.row(URL_A)?.nextRenderTime).toBe(expiresAt);
  });

  it('spreads moved and suppressed Targets without a row over the time after which they are looked at again', async () => {
    const node = new QueueNode();
    for (let index = 0; index < 40; index++) {
      await node.due(`https://shop.test/${index}`, { state: index % 2 === 0 ? 'moved' : 'suppressed' });
    }
    for (const row of node.scheduleRows.rows()) await node.scheduleRows.delete(row.url);
    expect(await repair(node)).toMatchObject({ scheduled: 40 });
    const waits = node.scheduleRows.rows().map((row) => row.nextRenderTime - node.clock.now());
    expect(Math.max(...waits)).toBeLessThanOrEqual(7 * DAY);
    expect(Math.max(...waits)).toBeGreaterThan(4 * DAY);
  });

  it('writes no schedule row of a URL that another node owns', async () => {
    const node = new QueueNode();
    const urls = Array.from({ length: 20 }, (_unused, index) => `https://shop.test/${index}`);
    for (const url of urls) {
      await node.due(url);
      await node.targetRows.delete(url);
    }
    const foreign = await joinedBy(node, urls);
    await repair(node);
    for (const row of node.scheduleRows.rows()) expect(Boolean(row.targetMissingSince)).toBe(!foreign.has(row.url));
  });

  it('leaves URLs that another node owns alone', async () => {
    const node = new QueueNode();
    for (let index = 0; index < 40; index++) await node.due(`https://shop.test/${index}`);
    for (const row of node.scheduleRows.rows()) await node.scheduleRows.delete(row.url);
    node.nodeNames = ['node-1', 'node-2'];
    const { scheduled } = (await repair(node)) as { scheduled: number };
    expect(scheduled).toBeGreaterThan(5);
    expect(scheduled).toBeLessThan(35);
  });

  it('defers a row whose Target is missing, drops it after a day with a warning, and takes it back when the Target comes', async () => {
    const node = new QueueNode();
    await node.due(URL_A);
    await node.due('https://shop.test/late');
    const late = node.target('https://shop.test/late')!;
    await node.targetRows.delete(URL_A);
    await node.targetRows.delete(late.url);
    expect(await repair(node)).toMatchObject({ deferred: 2, dropped: 0 });
    expect(node.row(URL_A)?.nextRenderTime).toBeGreaterThan(node.clock.now());
    await node.targetRows.put(late);
    await node.clock.turn(DAY);
    expect(await repair(node)).toMatchObject({ dropped: 1 });
    expect(node.row(URL_A)).toBeUndefined();
    expect(node.row(late.url)).toMatchObject({ targetMissingSince: null });
    expect(node.logger.lines).toEqual([
      expect.stringMatching(/^warn: The schedule of https:\/\/shop\.test\/a is dropped/),
    ]);
  });

  it('sweeps a page whose Target is still missing after orphanTtl, and not at the first sight', async () => {
    const node = new QueueNode();
    const thread = node.thread();
    await node.due(URL_A);
    const late = 'https://shop.test/late';
    for (const url of [URL_A, 'https://shop.test/orphan', late]) await storePage(node, url);
    expect(await repair(node, thread)).toMatchObject({ swept: 0 });
    node.clock.jump(DAY - HOUR);
    await node.due(late);
    expect(await repair(node, thread)).toMatchObject({ swept: 0 });
    await node.targetRows.delete(late);
    node.clock.jump(2 * HOUR);
    expect(await repair(node, thread)).toMatchObject({ swept: 1 });
    expect(node.pages.keys()).toEqual([`${URL_A}|desktop`, `${late}|desktop`]);
    node.clock.jump(DAY);
    expect(await repair(node, thread)).toMatchObject({ swept: 1 });
    expect(node.pages.keys()).toEqual([`${URL_A}|desktop`]);
  });
});

describe('a lease of a URL that another node has come to own', () => {
  it('writes no schedule row any more, neither by its result nor by its end', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'] } });
    const urls = Array.from({ length: 20 }, (_unused, index) => `https://shop.test/${index}`);
    for (const url of urls) await node.due(url);
    const jobs = await node.thread().claim(20);
    const foreign = await joinedBy(node, urls);
    const thread = node.thread();
    const lost = jobs.filter((job) => foreign.has(job.url));
    const rows = lost.map((job) => node.row(job.url));
    const [first] = lost;
    expect(await thread.take(resultOf(first!))).toBe('late');
    await node.clock.turn(3 * 60_000);
    await thread.expiry.sweep();
    expect(lost.map((job) => node.row(job.url))).toEqual(rows);
    expect(node.leases.rows()).toEqual([]);
  });
});
