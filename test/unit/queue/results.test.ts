import { describe, expect, it } from 'vitest';
import type { JobResultMetadata, RenderJob } from '../../../src/protocol/job.ts';
import { DAY, QueueNode, resultOf, type QueueThread } from './queue-node.ts';

const URL_A = 'https://shop.test/a';
const MINUTE = 60_000;

interface Case {
  node: QueueNode;
  thread: QueueThread;
  jobs: RenderJob[];
  send(metadata?: Partial<JobResultMetadata>, html?: string): Promise<void>;
}

/** One URL of one device, leased, with a good page from before. */
async function leased(target: object = {}, options: object = {}): Promise<Case> {
  const node = new QueueNode({ render: { devices: ['desktop'] }, ...options });
  await node.due(URL_A, { firstRenderedAt: 1, ...target });
  await node.pages.store({
    url: URL_A,
    deviceType: 'desktop',
    statusCode: 200,
    headers: {},
    html: Buffer.from('<h1>Old</h1>'),
    fetchedAt: 1,
    expiresAt: 2,
    isIndexable: true,
    canonical: null,
  });
  const thread = node.thread();
  const jobs = await thread.claim(1);
  return {
    node,
    thread,
    jobs,
    send: async (metadata, html) => {
      const [job] = jobs.length > 0 ? jobs.splice(0, 1) : await thread.claim(1);
      if (!job) throw new Error('nothing was granted');
      expect(await thread.take(resultOf(job, metadata, html))).toBe('taken');
    },
  };
}

const LISTED = { sitemapUrl: 'https://shop.test/sitemap.xml' };
const page = (node: QueueNode): string | undefined => node.pages.stored.get(`${URL_A}|desktop`)?.html.toString();
const wait = (node: QueueNode): number => (node.row(URL_A)?.nextRenderTime ?? NaN) - node.clock.now();

/** Makes the row due again, as time would. */
async function dueAgain({ node, thread }: Case): Promise<void> {
  node.clock.jump(Math.max(wait(node), 0) + 1_000);
  await thread.expiry.sweep();
}

describe('a rendered result', () => {
  it('is stored until the next render is due, an interval from now', async () => {
    const { node, send } = await leased();
    await send({}, '<h1>New</h1>');
    expect(page(node)).toBe('<h1>New</h1>');
    expect(node.pages.stored.get(`${URL_A}|desktop`)?.expiresAt).toBe(node.clock.now() + DAY);
    expect(wait(node)).toBe(DAY);
  });

  it('that has far less than the last one is tried again, and believed when it stays so', async () => {
    const sold = await leased();
    await sold.send({}, `<h1>${'Full page '.repeat(50)}</h1>`);
    await dueAgain(sold);
    await sold.send({}, '<h1>Torn</h1>');
    expect(page(sold.node)).toContain('Full page');
    expect(wait(sold.node)).toBeLessThan(DAY / 2);
    await dueAgain(sold);
    await sold.send({}, '<h1>Torn</h1>');
    expect(page(sold.node)).toBe('<h1>Torn</h1>');
    expect(wait(sold.node)).toBe(DAY);
  });

  it('that has far less on one device alone is believed on its second try as well', async () => {
    const node = new QueueNode();
    await node.due(URL_A);
    const thread = node.thread();
    const full = `<h1>${'Full page '.repeat(50)}</h1>`;
    const desktop = (): string | undefined => page(node);
    for (const html of [full, '<h1>Torn</h1>', '<h1>Torn</h1>']) {
      for (const job of await thread.claim(2)) {
        await thread.take(resultOf(job, {}, job.deviceType === 'desktop' ? html : full));
      }
      if (html !== full) node.counted.push(`desktop ${desktop() === full ? 'kept' : 'believed'}`);
      node.clock.jump(DAY + 1_000);
      await thread.expiry.sweep();
    }
    expect(node.counted.filter((line) => line.startsWith('desktop'))).toEqual(['desktop kept', 'desktop believed']);
  });

  it('clears strikes and lifts a suppression', async () => {
    const { node, send } = await leased({ state: 'suppressed', suppressedReason: 'noindex', strikes: 3 });
    await send();
    expect(node.target(URL_A)).toMatchObject({ state: null, suppressedReason: null, strikes: 0 });
    expect(node.counted).toContain('suppression lifted noindex prefix:/');
  });

  it('counts a canonical variant as rendered', async () => {
    const { node, send } = await leased();
    await send({ outcome: 'non-indexable', reason: 'canonical-variant', isIndexable: false }, '<h1>V</h1>');
    expect(page(node)).toBe('<h1>V</h1>');
  });

  it('takes a canonical that differs in + and %20 alone for its own', async () => {
    const node = new QueueNode({ render: { devices: ['desktop'] } });
    await node.due('https://shop.test/c?q=a+b');
    const thread = node.thread();
    const [job] = await thread.claim(1);
    const canonical = 'https://shop.test/c?q=a%20b';
    const metadata = { outcome: 'non-indexable', reason: 'canonical-mismatch', canonical, isIndexable: false } as const;
    await thread.take(resultOf(job!, metadata));
    expect(node.target('https://shop.test/c?q=a+b')?.state).toBeNull();
    expect(node.pages.stored.size).toBe(1);
  });

  it('HTML-01: an empty body is a failure: the page stays and the render is tried again soon', async () => {
    const { node, send } = await leased();
    await send({}, '<html><head></head><body></body></html>');
    expect(page(node)).toBe('<h1>Old</h1>');
    expect(node.pages.failures).toEqual([`${URL_A}|desktop`]);
    expect(wait(node)).toBe(MINUTE);
  });

  it('waits for all devices, and then counts once', async () => {
    const node = new QueueNode();
    await node.due(URL_A);
    const [a, b] = [node.thread(), node.thread()];
    const [desktop, mobile] = await a.claim(2);
    await a.take(resultOf(desktop!));
    expect(node.row(URL_A)?.nextRenderTime).toBeLessThan(node.clock.now());
    expect(await b.claim(2)).toEqual([]);
    await b.take(resultOf(mobile!));
    expect(wait(node)).toBe(DAY);
  });
});

describe('reports of several devices', () => {
  const outcomes = {
    redirect: { outcome: 'redirected', statusCode: 301, redirectedTo: 'https://shop.test/b', reason: 'redirect' },
    verdict: { outcome: 'non-indexable', reason: 'noindex', isIndexable: false },
    rendered: {},
    failed: { outcome: 'error', reason: 'error', statusCode: 0 },
  } as const;

  async function both(first: keyof typeof outcomes, second: keyof typeof outcomes): Promise<QueueNode> {
    const node = new QueueNode();
    await node.due(URL_A, { firstRenderedAt: null });
    const thread = node.thread();
    const [desktop, mobile] = await thread.claim(2);
    await thread.take(resultOf(desktop!, outcomes[first]));
    await thread.take(resultOf(mobile!, outcomes[second]));
    return node;
  }

  it.each([
    ['redirect', 'verdict'],
    ['verdict', 'redirect'],
    ['redirect', 'rendered'],
    ['rendered', 'redirect'],
  ] as const)('a redirect decides: %s, %s', async (first, second) => {
    const node = await both(first, second);
    expect(node.target(URL_A)).toBeUndefined();
    expect(node.target('https://shop.test/b')?.source).toBe('redirect');
    expect(node.pages.stored.size).toBe(0);
  });

  it.each([
    ['verdict', 'rendered'],
    ['rendered', 'verdict'],
    ['failed', 'verdict'],
  ] as const)('a verdict beats storing and failing, one strike in all: %s, %s', async (first, second) => {
    const node = await both(first, second);
    expect(node.target(URL_A)).toMatchObject({ state: 'suppressed', suppressedReason: 'noindex', strikes: 1 });
    expect(node.pages.stored.size).toBe(0);
  });

  it.each([
    ['failed', 'rendered'],
    ['rendered', 'failed'],
  ] as const)('storing beats a retry, and the page of the other device stays: %s, %s', async (first, second) => {
    const node = await both(first, second);
    expect(wait(node)).toBe(DAY);
    expect(node.pages.stored.size).toBe(1);
    expect(node.pages.failures).toHaveLength(1);
  });

  it('a device that says nothing until the lease ends has failed', async () => {
    const node = new QueueNode();
    await node.due(URL_A);
    const thread = node.thread();
    const [desktop] = await thread.claim(2);
    await thread.take(resultOf(desktop!));
    await node.clock.turn(2 * MINUTE);
    await thread.expiry.sweep();
    expect(wait(node)).toBe(DAY);
    expect(node.pages.failures).toEqual([`${URL_A}|mobile`]);
    expect(node.reports.rows()).toEqual([]);
    expect(node.leases.rows()).toEqual([]);
  });
});

describe('verdicts', () => {
  it.each([
    [{ outcome: 'non-indexable', reason: 'noindex', isIndexable: false }, 'noindex'],
    [{ outcome: 'non-indexable', reason: 'soft-404', isIndexable: false }, 'soft-404'],
    [{ outcome: 'error', reason: 'http-error', statusCode: 402 }, 'http-error'],
    [{ outcome: 'error', reason: 'redirect-loop', statusCode: 302 }, 'redirect-loop'],
  ] as const)('suppress an unlisted URL and delete its pages: %j', async (metadata, reason) => {
    const { node, send } = await leased();
    await send(metadata);
    expect(node.target(URL_A)).toMatchObject({ state: 'suppressed', suppressedReason: reason, strikes: 1 });
    expect(page(node)).toBeUndefined();
    expect(wait(node)).toBe(7 * DAY);
  });

  it('keep the canonical that was declared', async () => {
    const { node, send } = await leased();
    const canonical = 'https://shop.test/elsewhere';
    await send({ outcome: 'non-indexable', reason: 'canonical-mismatch', isIndexable: false, canonical });
    expect(node.target(URL_A)?.suppressedCanonical).toBe(canonical);
    expect(node.target(canonical)).toBeUndefined();
  });

  it('delete an unlisted Target at its fourth strike', async () => {
    const test = await leased();
    for (let strike = 1; strike <= 4; strike++) {
      if (strike > 1) await dueAgain(test);
      await test.send({ outcome: 'non-indexable', reason: 'noindex', isIndexable: false });
      expect(test.node.target(URL_A)?.strikes).toBe(strike < 4 ? strike : undefined);
    }
    expect(test.node.row(URL_A)).toBeUndefined();
  });

  it('a listed page is stored though it is not indexable, and never deleted for a soft 404', async () => {
    const test = await leased(LISTED);
    await test.send({ outcome: 'non-indexable', reason: 'noindex', isIndexable: false }, '<h1>Hidden</h1>');
    expect(page(test.node)).toBe('<h1>Hidden</h1>');
    expect(test.node.pages.stored.get(`${URL_A}|desktop`)?.isIndexable).toBe(false);
    expect(test.node.target(URL_A)?.state).toBeNull();
    for (let strike = 1; strike <= 6; strike++) {
      await dueAgain(test);
      await test.send({ outcome: 'non-indexable', reason: 'soft-404', isIndexable: false });
    }
    expect(test.node.target(URL_A)).toMatchObject({ state: 'suppressed', strikes: 6 });
  });

  it.each([404, 410])('HTTP-17: %i deletes an unlisted Target at once', async (statusCode) => {
    const { node, send } = await leased();
    await send({ statusCode, outcome: 'error', reason: 'http-error' }, '<h1>gone</h1>');
    expect(node.target(URL_A)).toBeUndefined();
    expect(node.row(URL_A)).toBeUndefined();
    expect(page(node)).toBeUndefined();
  });

  it('a listed page that is gone has two strikes, fourteen days apart', async () => {
    const test = await leased(LISTED);
    await test.send({ statusCode: 404, outcome: 'error', reason: 'http-error' });
    expect(test.node.target(URL_A)).toMatchObject({ state: 'suppressed', suppressedReason: 'http-gone' });
    expect(wait(test.node)).toBe(14 * DAY);
    await dueAgain(test);
    await test.send({ statusCode: 404, outcome: 'error', reason: 'http-error' });
    expect(test.node.target(URL_A)).toBeUndefined();
  });

  it('HTML-06: a page that asks for its 404 itself is kept with that status, out of rotation, and looked at again', async () => {
    const test = await leased();
    const asked = { statusCode: 404, outcome: 'non-indexable', reason: 'http-error', isIndexable: false } as const;
    await test.send({ ...asked, headers: { 'prerender-status-code': '404' } }, '<h1>No such shoe</h1>');
    expect(test.node.target(URL_A)).toMatchObject({ state: 'suppressed', suppressedReason: 'http-gone', strikes: 1 });
    expect(page(test.node)).toBe('<h1>No such shoe</h1>');
    expect(test.node.pages.stored.get(`${URL_A}|desktop`)).toMatchObject({ statusCode: 404, isIndexable: false });
    expect(wait(test.node)).toBe(7 * DAY);
  });

  it('HTTP-09: a 404 that comes as rendered is a verdict, and a 301 a redirect; neither is stored', async () => {
    const gone = await leased();
    await gone.send({ statusCode: 404 }, '<h1>gone</h1>');
    expect(gone.node.target(URL_A)).toBeUndefined();
    const moved = await leased();
    await moved.send({ statusCode: 301, redirectedTo: '/p/2' }, '<h1>other</h1>');
    expect(page(moved.node)).toBeUndefined();
    expect(moved.node.target('https://shop.test/p/2')).toBeDefined();
  });
});

describe('failures', () => {
  const transient = [400, 401, 405, 406, 408, 413, 414, 415, 417, 421, 425, 429, 431, 500, 502, 503, 504];
  it.each(transient)('%i keeps page and Target and backs off', async (statusCode) => {
    const { node, send } = await leased();
    await send({ statusCode, outcome: 'error', reason: 'http-error' }, 'Service unavailable');
    expect(page(node)).toBe('<h1>Old</h1>');
    expect(node.target(URL_A)).toMatchObject({ state: null, strikes: 0 });
    expect(wait(node)).toBe(MINUTE);
  });

  it('HTTP-17: the wait doubles up to its bound, and a good render ends it', async () => {
    const test = await leased();
    const waits: number[] = [];
    for (let failure = 0; failure < 12; failure++) {
      if (failure > 0) await dueAgain(test);
      await test.send({ statusCode: 503, outcome: 'error', reason: 'http-error' });
      waits.push(wait(test.node) / MINUTE);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
    await dueAgain(test);
    await test.send();
    expect(test.node.row(URL_A)).toMatchObject({ failures: 0 });
  });

  it('403 suppresses only an unlisted Target that has never rendered', async () => {
    const refused = { statusCode: 403, outcome: 'error', reason: 'http-error' } as const;
    const never = await leased({ firstRenderedAt: null });
    await never.send(refused);
    expect(never.node.target(URL_A)).toMatchObject({ state: 'suppressed', suppressedReason: 'forbidden' });
    for (const target of [{}, { ...LISTED, firstRenderedAt: null }]) {
      const other = await leased(target);
      await other.send(refused);
      expect(other.node.target(URL_A)?.state).toBeNull();
      expect(page(other.node)).toBe('<h1>Old</h1>');
    }
  });
});

describe('redirects', () => {
  const redirect = (statusCode: number, redirectedTo: string) =>
    ({ outcome: 'redirected', reason: 'redirect', statusCode, redirectedTo }) as const;

  it.each([301, 308])('HTTP-08: %i adopts the destination once and retires the source', async (statusCode) => {
    const { node, send } = await leased();
    await send(redirect(statusCode, 'https://shop.test/new'), '<h1>New</h1>');
    expect(node.target('https://shop.test/new')).toMatchObject({ source: 'redirect', state: null });
    expect(node.row('https://shop.test/new')).toBeDefined();
    expect(node.target(URL_A)).toBeUndefined();
    expect(node.row(URL_A)).toBeUndefined();
    expect(node.pages.stored.size).toBe(0);
  });

  it('keeps a listed source aside, so that the sitemap does not add it again', async () => {
    const { node, send } = await leased(LISTED);
    await send(redirect(301, 'https://shop.test/new'));
    expect(node.target(URL_A)).toMatchObject({ state: 'moved', movedTo: 'https://shop.test/new' });
    expect(page(node)).toBeUndefined();
    expect(wait(node)).toBe(7 * DAY);
  });

  it.each([302, 303, 307])('%i is a strike; the page stays and nothing is adopted', async (statusCode) => {
    const { node, send } = await leased();
    await send(redirect(statusCode, 'https://shop.test/new'));
    expect(node.target(URL_A)).toMatchObject({ state: null, strikes: 1 });
    expect(node.target('https://shop.test/new')).toBeUndefined();
    expect(page(node)).toBe('<h1>Old</h1>');
  });

  it('a destination on a host that is not served is never adopted', async () => {
    const { node, send } = await leased();
    await send(redirect(301, 'https://evil.test/new'));
    expect(node.targetRows.rows().map((target) => target.url)).toEqual([URL_A]);
    expect(node.target(URL_A)?.strikes).toBe(1);
  });

  it('a destination that is too long for a key, with any device, is never adopted', async () => {
    const { node, send } = await leased();
    const fits = `https://shop.test/${'f'.repeat(1_860)}`;
    await send(redirect(301, `${fits}${'x'.repeat(20)}`));
    expect(node.targetRows.rows().map((target) => target.url)).toEqual([URL_A]);
    expect(node.target(URL_A)?.strikes).toBe(1);
    const shorter = await leased();
    await shorter.send(redirect(301, fits));
    expect(shorter.node.target(fits)).toBeDefined();
  });

  it('a redirect to its own key is a loop', async () => {
    const { node, send } = await leased();
    await send(redirect(301, `${URL_A}#top`));
    expect(node.target(URL_A)?.suppressedReason).toBe('redirect-loop');
  });
});

describe('a late result', () => {
  it('of an ended lease stores nothing, also when the job was granted anew', async () => {
    const { node, thread, jobs } = await leased();
    await node.clock.turn(2 * MINUTE);
    expect(await thread.take(resultOf(jobs[0]!))).toBe('late');
    await thread.expiry.sweep();
    const [again] = await thread.claim(1);
    expect(again?.id).not.toBe(jobs[0]?.id);
    expect(await thread.take(resultOf(jobs[0]!))).toBe('late');
    expect(page(node)).toBe('<h1>Old</h1>');
    expect(await thread.take(resultOf(again!))).toBe('taken');
  });

  it('that is sent twice counts once', async () => {
    const { node, thread, jobs } = await leased();
    expect(await thread.take(resultOf(jobs[0]!))).toBe('taken');
    expect(await thread.take(resultOf(jobs[0]!, { statusCode: 404 }))).toBe('settled');
    expect(node.target(URL_A)).toBeDefined();
    expect(node.counted).toContain('render ignored settled prefix:/');
  });

  it('that is older than a change mark stores nothing, and the URL is granted at once', async () => {
    const { node, thread, jobs } = await leased();
    await node.clock.turn(1_000);
    await thread.inbox.fileDue(URL_A, 'changed');
    expect(await thread.take(resultOf(jobs[0]!, {}, '<h1>Stale</h1>'))).toBe('superseded');
    expect(page(node)).toBe('<h1>Old</h1>');
    await node.clock.turn(1_000);
    const [again] = await thread.claim(1);
    expect(again?.url).toBe(URL_A);
    await thread.take(resultOf(again!, {}, '<h1>Fresh</h1>'));
    expect(page(node)).toBe('<h1>Fresh</h1>');
    expect(node.row(URL_A)).toMatchObject({ changedAt: null });
    expect(node.row(URL_A)?.markedAt).toBeUndefined();
  });

  it('is taken when only an early render was asked for meanwhile, which then still happens', async () => {
    const { node, thread, jobs } = await leased();
    await node.clock.turn(1_000);
    await thread.inbox.fileDue(URL_A, 'urgent');
    expect(await thread.take(resultOf(jobs[0]!, {}, '<h1>New</h1>'))).toBe('taken');
    expect(page(node)).toBe('<h1>New</h1>');
    expect(wait(node)).toBe(0);
  });

  it('of a URL that is no Target any more creates nothing', async () => {
    const { node, thread, jobs } = await leased();
    await thread.targets.delete(URL_A);
    expect(await thread.take(resultOf(jobs[0]!))).toBe('retired');
    expect(node.targetRows.rows()).toEqual([]);
  });
});

describe('a result that fits no job', () => {
  it.each([
    [{ id: 'made-up' }, 'not the id of a job'],
    [{ url: 'https://shop.test/other' }, 'not the URL of the job'],
  ])('is refused, and the lease is kept: %j', async (metadata, message) => {
    const { thread, jobs } = await leased();
    await expect(thread.take(resultOf(jobs[0]!, metadata))).rejects.toThrow(message);
    expect(await thread.take(resultOf(jobs[0]!))).toBe('taken');
  });
});
