import { describe, expect, it } from 'vitest';
import { DAY, HOUR, QueueNode } from './queue-node.ts';

const URL_A = 'https://shop.test/a';

/** Runs the repair while its pauses pass. */
async function repair(node: QueueNode): Promise<object> {
  let outcome: object | undefined;
  const run = node
    .thread()
    .repair.run(() => false)
    .then((done) => (outcome = done));
  while (!outcome) {
    await new Promise((resolve) => setImmediate(resolve));
    await node.clock.turn(50);
  }
  await run;
  return outcome;
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

  it('leaves URLs that another node owns, and moved Targets, alone', async () => {
    const node = new QueueNode();
    await node.due(URL_A, { state: 'moved' });
    await node.scheduleRows.delete(URL_A);
    for (let index = 0; index < 40; index++) await node.due(`https://shop.test/${index}`);
    for (const row of node.scheduleRows.rows()) await node.scheduleRows.delete(row.url);
    node.nodeNames = ['node-1', 'node-2'];
    const { scheduled } = (await repair(node)) as { scheduled: number };
    expect(scheduled).toBeGreaterThan(5);
    expect(scheduled).toBeLessThan(35);
    expect(node.row(URL_A)).toBeUndefined();
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

  it('sweeps pages without a Target, but not one that may be newer than its Target here', async () => {
    const node = new QueueNode();
    const page = (url: string, fetchedAt: number) =>
      node.pages.store({
        url,
        deviceType: 'desktop',
        statusCode: 200,
        headers: {},
        html: Buffer.from('<h1>Page</h1>'),
        fetchedAt,
        expiresAt: 2,
        isIndexable: true,
        canonical: null,
      });
    await node.due(URL_A);
    await page(URL_A, 1);
    await page('https://shop.test/orphan', 1);
    await page('https://shop.test/fresh', node.clock.now());
    expect(await repair(node)).toMatchObject({ swept: 1 });
    expect(node.pages.keys()).toEqual(['https://shop.test/a|desktop', 'https://shop.test/fresh|desktop']);
  });
});
