import { describe, expect, it } from 'vitest';
import { createTargetResource } from '../../../src/target/resource.ts';
import { QueueNode } from '../queue/queue-node.ts';

const URL_A = 'https://shop.test/a';

describe('the registry', () => {
  it('mints once, also when two threads are asked at once, and files the first render', async () => {
    const node = new QueueNode();
    const threads = [node.thread(), node.thread()];
    const outcomes = await Promise.all(
      threads.map(({ targets }) => targets.mint({ url: URL_A, source: 'discovery', discoveredBy: 'Googlebot' })),
    );
    expect(outcomes.sort()).toEqual(['created', 'exists']);
    expect(node.target(URL_A)).toMatchObject({
      source: 'discovery',
      discoveredBy: 'Googlebot',
      state: null,
      strikes: 0,
    });
    expect(node.row(URL_A)?.nextRenderTime).toBeGreaterThanOrEqual(node.clock.now());
  });

  it('mints many at once, leaving out those that are there, and stores no nulls', async () => {
    const node = new QueueNode();
    const { targets } = node.thread();
    await targets.mint({ url: URL_A, source: 'admin' });
    const urls = Array.from({ length: 50 }, (_, n) => `https://shop.test/many/${n}`);
    const created = await targets.mintAll([URL_A, ...urls].map((url) => ({ url, source: 'discovery' as const })));
    expect(created).toEqual(urls);
    expect(node.target(URL_A)?.source).toBe('admin');
    for (const url of urls) expect(node.row(url)?.nextRenderTime).toBeGreaterThanOrEqual(node.clock.now());
    expect(Object.values(node.targetRows.rows()[0] ?? {})).not.toContain(null);
  });

  it('reopens what was gone, due at once, and nothing else', async () => {
    const node = new QueueNode();
    await node.due(URL_A, { firstRenderedAt: 1 });
    const { targets } = node.thread();
    expect(await targets.reopen(URL_A)).toBe(false);
    await targets.suppress(URL_A, { reason: 'noindex', canonical: null });
    expect(await targets.reopen(URL_A)).toBe(false);
    await targets.suppress(URL_A, { reason: 'http-gone', canonical: null });
    expect(await targets.reopen(URL_A)).toBe(true);
    expect(node.target(URL_A)).toMatchObject({ state: null, strikes: 0 });
    expect(node.row(URL_A)?.urgentAt).toBe(node.clock.now());
  });

  it('never creates a row by a verdict', async () => {
    const node = new QueueNode();
    const { targets } = node.thread();
    expect(await targets.suppress(URL_A, { reason: 'http-gone', canonical: null })).toBe(0);
    expect(await targets.strike(URL_A)).toBe(0);
    expect(await targets.lift(URL_A)).toBe(false);
    expect(node.targetRows.rows()).toEqual([]);
  });

  it('writes nothing when a page renders as before', async () => {
    const node = new QueueNode();
    await node.due(URL_A, { firstRenderedAt: 1 });
    const before = node.targetRows.writes;
    await node.thread().targets.markRendered(URL_A);
    expect(node.targetRows.writes).toBe(before);
  });

  it('takes the interval of the rung, the route, the Target, or the default, in that order', async () => {
    const route = { match: 'prefix', path: '/routed', mode: 'prerender', renderInterval: 3_600_000 };
    const rest = { match: 'prefix', path: '/', mode: 'prerender' };
    const node = new QueueNode({ ingress: { routes: [route, rest] } });
    const { targets } = node.thread();
    const of = async (url: string, own: object) => {
      await node.due(url, own);
      return targets.intervalOf(targets.find(url)!);
    };
    expect(await of('https://shop.test/routed', { renderInterval: 7, demandInterval: 5 })).toBe(5);
    expect(await of('https://shop.test/routed', { renderInterval: 7 })).toBe(3_600_000);
    expect(await of(URL_A, { renderInterval: 7 })).toBe(7);
    expect(await of(URL_A, {})).toBe(86_400_000);
  });

  it('counts by state', async () => {
    const node = new QueueNode();
    await node.due(URL_A);
    await node.due('https://shop.test/b', { state: 'suppressed' });
    await node.due('https://shop.test/c', { state: 'moved' });
    expect(await node.thread().targets.counts()).toEqual({ total: 3, suppressed: 1, moved: 1 });
  });
});

describe('the Target resource', () => {
  function setup() {
    const node = new QueueNode();
    const { targets, inbox, schedule } = node.thread();
    const resource = createTargetResource({
      targets,
      schedule: inbox,
      removePages: (url) => node.pages.remove(url),
      canonical: (url) =>
        url.startsWith('https://shop.test/')
          ? { ok: true, url: url.replace(/#.*/, '') }
          : { ok: false, reason: 'its host is not served' },
    });
    return { node, resource, schedule };
  }

  it('adds, changes, shows and deletes a URL, spelt in any way', async () => {
    const { node, resource } = setup();
    expect(await resource.put(`${URL_A}#x`, { renderInterval: 60_000 })).toEqual({ url: URL_A, outcome: 'created' });
    expect(await resource.put(URL_A, { renderInterval: 120_000 })).toEqual({ url: URL_A, outcome: 'exists' });
    expect(resource.get(URL_A)).toMatchObject({ source: 'admin', renderInterval: 120_000 });
    expect(await resource.delete(URL_A)).toEqual({ url: URL_A, pages: 0 });
    expect(node.scheduleRows.rows()).toEqual([]);
    expect(() => resource.get(URL_A)).toThrow('Nothing is found');
  });

  it('leaves no page behind of a result that was being taken while the URL was deleted', async () => {
    const { node, resource, schedule } = setup();
    await node.due(URL_A);
    const result = schedule.withUrl(URL_A, async () => {
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      const facts = { statusCode: 200, headers: {}, fetchedAt: 1, expiresAt: 2, isIndexable: true, canonical: null };
      await node.pages.store({ url: URL_A, deviceType: 'desktop', html: Buffer.from('<h1>Page</h1>'), ...facts });
    });
    await Promise.all([result, resource.delete(URL_A)]);
    expect(node.pages.keys()).toEqual([]);
    expect(node.scheduleRows.rows()).toEqual([]);
  });

  it('has a URL revalidated', async () => {
    const { node, resource } = setup();
    await node.due(URL_A, {}, { nextRenderTime: node.clock.now() + 1_000_000 });
    expect(await resource.post({ action: 'revalidate', url: URL_A })).toEqual({ url: URL_A, outcome: 'due' });
    expect(node.row(URL_A)?.urgentAt).toBe(node.clock.now());
  });

  it.each([
    [null, 'has to be a JSON object'],
    [[], 'has to be a JSON object'],
    [{ action: 'delete', url: URL_A }, '`action` has to be "revalidate", not "delete"'],
    [{ action: 'revalidate' }, '`url` has to be a text, not missing'],
    [{ action: 'revalidate', url: 'https://evil.test/' }, 'its host is not served'],
    [{ action: 'revalidate', url: URL_A }, 'Nothing is found'],
    [{ action: 'revalidate', url: URL_A, at: 1 }, '`at` cannot be set; known are action, url'],
  ])('refuses an action that is malformed: %j', async (body, message) => {
    await expect(setup().resource.post(body)).rejects.toThrow(message);
  });

  it.each([
    [{ renderInterval: 5 }, '`renderInterval` has to be a whole number of ms from 60000'],
    [{ strikes: 0 }, '`strikes` cannot be set'],
    [{ url: 'https://shop.test/b' }, '`url` is not the URL that the path names'],
  ])('refuses to put what is malformed: %j', async (body, message) => {
    const { node, resource } = setup();
    await expect(resource.put(URL_A, body)).rejects.toThrow(message);
    expect(node.targetRows.rows()).toEqual([]);
  });
});
