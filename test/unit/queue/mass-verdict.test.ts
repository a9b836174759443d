import { describe, expect, it } from 'vitest';
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
});
