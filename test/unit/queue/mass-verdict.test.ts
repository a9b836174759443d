import { describe, expect, it } from 'vitest';
import { MAX_HELD } from '../../../src/queue/mass-verdict.ts';
import { QueueNode, resultOf, type QueueThread } from './queue-node.ts';

const NOINDEX = { outcome: 'non-indexable', reason: 'noindex', isIndexable: false } as const;
const ROUTE = 'prefix:/';

/** A hundred pages that rendered before, due again. */
async function goodPages(firstRenderedAt: number | null = 1): Promise<{ node: QueueNode; thread: QueueThread }> {
  const node = new QueueNode({ render: { devices: ['desktop'] } });
  for (let index = 0; index < 100; index++) {
    const url = `https://shop.test/${index}`;
    await node.due(url, { firstRenderedAt });
    await node.pages.store({
      url,
      deviceType: 'desktop',
      statusCode: 200,
      headers: {},
      html: Buffer.from('<h1>Good</h1>'),
      fetchedAt: 1,
      expiresAt: 2,
      isIndexable: true,
      canonical: null,
    });
  }
  return { node, thread: node.thread() };
}

async function allNoindex(thread: QueueThread): Promise<void> {
  for (const job of await thread.claim(100)) await thread.take(resultOf(job, NOINDEX));
}

const suppressed = (node: QueueNode): number =>
  node.targetRows.rows().filter((target) => target.state === 'suppressed').length;

describe('the mass-verdict guard', () => {
  it('holds suppressions, and keeps the pages, once the share of verdicts has jumped', async () => {
    const { node, thread } = await goodPages();
    await allNoindex(thread);
    expect(suppressed(node)).toBeLessThan(20);
    expect(node.pages.stored.size).toBe(100 - suppressed(node));
    expect(await thread.heldVerdicts.guards()).toMatchObject([{ route: ROUTE, state: 'holding' }]);
    expect(node.logger.lines.join('\n')).toMatch(/error: Verdicts against pages of the route prefix:\/ have jumped/);
    expect(node.counted).toContain(`suppression held noindex ${ROUTE}`);
  });

  it('applies what is held when an operator accepts, and holds no more of that route', async () => {
    const { node, thread } = await goodPages();
    await allNoindex(thread);
    const held = 100 - suppressed(node);
    expect(await thread.heldVerdicts.accept(ROUTE)).toBe(held);
    expect(suppressed(node)).toBe(100);
    expect(node.pages.stored.size).toBe(0);
    expect(await thread.heldVerdicts.list(ROUTE, 10)).toEqual([]);
  });

  it('has the pages rendered anew when an operator releases', async () => {
    const { node, thread } = await goodPages();
    await allNoindex(thread);
    const held = 100 - suppressed(node);
    expect(await thread.heldVerdicts.release(ROUTE)).toBe(held);
    expect(await thread.heldVerdicts.guards()).toEqual([]);
    await node.clock.turn(1_000);
    const jobs = await thread.claim(100);
    expect(jobs).toHaveLength(held);
    for (const job of jobs) await thread.take(resultOf(job));
    expect(node.pages.stored.size).toBe(held);
  });

  it('lifts suppressions in bulk by reason and time', async () => {
    const { node, thread } = await goodPages();
    await allNoindex(thread);
    const wrong = suppressed(node);
    const since = node.clock.now();
    expect(await thread.heldVerdicts.liftSuppressed({ reason: 'soft-404', limit: 1_000 })).toBe(0);
    expect(await thread.heldVerdicts.liftSuppressed({ since: since + 1, limit: 1_000 })).toBe(0);
    expect(await thread.heldVerdicts.liftSuppressed({ reason: 'noindex', since, limit: 1_000 })).toBe(wrong);
    expect(suppressed(node)).toBe(0);
  });

  it('lifts those of a reason though as many others as it may lift come before them', async () => {
    const node = new QueueNode();
    for (let index = 0; index < 20; index++) {
      const suppressedReason = index < 15 ? 'noindex' : 'soft-404';
      await node.due(`https://shop.test/${String.fromCharCode(97 + index)}`, { state: 'suppressed', suppressedReason });
    }
    const { heldVerdicts } = node.thread();
    expect(await heldVerdicts.liftSuppressed({ reason: 'soft-404', limit: 3 })).toBe(3);
    expect(await heldVerdicts.liftSuppressed({ reason: 'soft-404', limit: 3 })).toBe(2);
    expect(suppressed(node)).toBe(15);
  });

  it('neither counts nor holds pages that never rendered: junk has nothing to lose', async () => {
    const { node, thread } = await goodPages(null);
    await allNoindex(thread);
    expect(suppressed(node)).toBe(100);
    expect(await thread.heldVerdicts.guards()).toEqual([]);
  });

  it('lets a usual share of verdicts through', async () => {
    const { node, thread } = await goodPages();
    const jobs = await thread.claim(100);
    for (const [index, job] of jobs.entries()) await thread.take(resultOf(job, index % 3 === 0 ? NOINDEX : {}));
    expect(suppressed(node)).toBe(34);
    expect(await thread.heldVerdicts.guards()).toEqual([]);
  });

  it('keeps what an operator has decided while a verdict was on its way to be held', async () => {
    const { node, thread } = await goodPages();
    const jobs = await thread.claim(100);
    for (const job of jobs.slice(0, 60)) await thread.take(resultOf(job, NOINDEX));
    const operator = node.thread();
    // The decision comes between a result's look at the guard and what it writes.
    let decided: Promise<unknown> | undefined;
    let looks = 0;
    const { entry } = node.guards;
    node.guards.entry = (route) => {
      const found = entry.call(node.guards, route);
      if (++looks === 2) decided = operator.heldVerdicts.accept(ROUTE);
      return found;
    };
    for (const job of jobs.slice(60, 62)) await thread.take(resultOf(job, NOINDEX));
    await decided;
    expect(await thread.heldVerdicts.guards()).toMatchObject([{ state: 'accepted' }]);
    for (const job of jobs.slice(62)) await thread.take(resultOf(job, NOINDEX));
    expect(await thread.heldVerdicts.guards()).toMatchObject([{ state: 'accepted' }]);
    expect(suppressed(node)).toBe(100);
  });

  it('judges anew in every thread once an operator has released', async () => {
    const { node, thread } = await goodPages();
    const jobs = await thread.claim(100);
    for (const job of jobs.slice(0, 40)) await thread.take(resultOf(job, NOINDEX));
    await node.thread().heldVerdicts.release(ROUTE);
    await thread.take(resultOf(jobs[40]!, NOINDEX));
    expect(await thread.heldVerdicts.guards()).toEqual([]);
    expect(node.target(jobs[40]!.url)?.state).toBe('suppressed');
  });

  it('does not suppress, by what was held, a page that has rendered well since', async () => {
    const { node, thread } = await goodPages();
    await allNoindex(thread);
    const [well] = await thread.heldVerdicts.list(ROUTE, 1);
    await node.clock.turn(1_000);
    await thread.inbox.fileDue(well!.url, 'urgent');
    await node.clock.turn(1_000);
    const [job] = await thread.claim(1);
    await thread.take(resultOf(job!));
    const before = suppressed(node);
    expect(await thread.heldVerdicts.accept(ROUTE)).toBe(100 - before - 1);
    expect(node.target(well!.url)?.state).toBeNull();
    expect(node.pages.keys()).toEqual([`${well!.url}|desktop`]);
    expect(suppressed(node)).toBe(99);
  });

  it('lists what is held of a route behind more of other routes than are listed at most', async () => {
    const node = new QueueNode();
    const rows = Array.from({ length: MAX_HELD + 5 }, (_unused, index) => `https://shop.test/${index}`);
    const verdict = { reason: 'noindex', canonical: null, heldAt: 1 } as const;
    await node.held.write(rows.map((url) => ({ ...verdict, url, route: 'other' })));
    await node.held.put({ ...verdict, url: 'https://shop.test/z', route: ROUTE });
    expect(await node.thread().heldVerdicts.list(ROUTE, 10)).toHaveLength(1);
  });
});
