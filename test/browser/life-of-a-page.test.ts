import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNodeProcess, type ManagedProcess } from '../../src/cli/processes.ts';
import { assertCleanLog, bootPrerender, type BootedPrerender } from '../harper/harness/instance.ts';
import { waitFor } from '../harper/harness/wait-for.ts';
import { startShop, type Shop } from '../shop/shop.ts';

const HOST = 'shop.example';
const WORKER = fileURLToPath(new URL('../../dist/worker/main.js', import.meta.url));
const LEASE_MS = 8_000;

let shop: Shop;
let booted: BootedPrerender;
let worker: ManagedProcess | undefined;

beforeAll(async () => {
  shop = await startShop({ publicOrigin: `http://${HOST}`, products: 500 });
  booted = await bootPrerender({
    threads: 2,
    options: {
      domains: [HOST],
      origin: { upstreams: { [HOST]: shop.origin }, privateAddresses: [`127.0.0.1:${shop.port}`] },
      ingress: {
        routes: [
          { match: 'prefix', path: '/product/', mode: 'prerender' },
          { match: 'prefix', path: '/catalog/', mode: 'prerender', queryParams: ['CN'] },
        ],
      },
      render: { firstRenderWithin: 0, leaseTime: LEASE_MS, renderBudget: 6_000, backoff: { expiredLeases: 50 } },
    },
  });
});

afterAll(async () => {
  await worker?.stop();
  await booted?.stop();
  await shop?.stop();
});

function startWorker(): void {
  worker = startNodeProcess({
    name: 'worker',
    args: [WORKER],
    cwd: booted.dir,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: booted.dir,
      HARPER_PRERENDER_WORKER_SERVERS: booted.instance.httpUrl,
      HARPER_PRERENDER_WORKER_USER: booted.instance.user,
      HARPER_PRERENDER_WORKER_PASSWORD: booted.instance.password,
      HARPER_PRERENDER_WORKER_MAP: `${HOST}=127.0.0.1:${shop.port}`,
      HARPER_PRERENDER_WORKER_POLL_INTERVAL: '100',
      HARPER_PRERENDER_WORKER_POLL_MAX_INTERVAL: '300',
    },
  });
}

interface Answer {
  readonly status: number;
  readonly cacheStatus: string | null;
  readonly html: string;
}

async function ask(path: string, userAgent = 'Mozilla/5.0 (compatible; Googlebot/2.1)'): Promise<Answer> {
  const response = await booted.instance.request(`/p/http://${HOST}${path}`, {
    headers: { 'user-agent': userAgent, 'x-prerender-debug': '1' },
  });
  const html = await response.text();
  return { status: response.status, cacheStatus: response.headers.get('x-prerender-status'), html };
}

async function untilRendered(path: string, isThere: (answer: Answer) => boolean = () => true): Promise<Answer> {
  let last: Answer | undefined;
  await waitFor(
    async () => {
      last = await ask(path);
      return last.cacheStatus === 'hit' && isThere(last);
    },
    { what: `a rendered page of ${path}`, limitMs: 60_000, everyMs: 200 },
  );
  if (!last) throw new Error('never asked');
  return last;
}

const price = (value: number): string => `$${value.toFixed(2)}`;

describe('the life of a page', () => {
  it('goes from the origin to rendered HTML, with no hand in between', async () => {
    const product = shop.product(7);
    const first = await ask(product.path);
    expect(first).toMatchObject({ status: 200, cacheStatus: 'miss' });
    expect(first.html).not.toContain(price(product.price));
    startWorker();
    const page = await untilRendered(product.path);
    expect(page.status).toBe(200);
    expect(page.html).toContain(`<title>${product.name} by ${product.brand}`);
    expect(page.html).toContain(price(product.price));
    expect(page.html).toContain('application/ld+json');
    expect(page.html).not.toContain('/assets/app.js');
  });

  it('serves each device its own page', async () => {
    const { path } = shop.product(7);
    const phone = 'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Mobile Safari/537.36 (compatible; Googlebot/2.1)';
    await waitFor(async () => (await ask(path, phone)).cacheStatus === 'hit', {
      what: 'the page of the mobile crawler',
      limitMs: 30_000,
    });
  });

  it('renders a catalog page with its grid, under the spelling that the shop declares', async () => {
    const path = '/catalog/blue-bath-rugs.jsp?CN=Color:Blue+Silhouette:Bath%20Rugs';
    await ask(path);
    const page = await untilRendered(path);
    expect(page.html).toContain('/product/prd-');
  });

  it('suppresses a page that names another as canonical, and tells crawlers so', async () => {
    const product = shop.product(8);
    const path = '/product/prd-8/some-other-slug.jsp';
    await ask(path);
    await waitFor(
      async () => {
        const response = await booted.instance.request(`/Target/http://${HOST}${path}`, { auth: true });
        return response.ok && ((await response.json()) as { state: string | null }).state === 'suppressed';
      },
      { what: 'the suppression', limitMs: 60_000, everyMs: 200 },
    );
    const response = await booted.instance.request(`/p/http://${HOST}${path}`, {
      headers: { 'user-agent': 'Googlebot/2.1' },
    });
    expect(response.headers.get('link')).toContain(product.url);
  });

  it('HTML-06: gives crawlers the status that a page asks for, which the shop itself does not send', async () => {
    const path = '/product/withdrawn.jsp';
    shop.control({
      command: 'page',
      path,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<!DOCTYPE html><title>Withdrawn</title><meta name="prerender-status-code" content="404"><p>No longer sold.</p>',
    });
    expect((await ask(path)).status).toBe(200);
    const page = await untilRendered(path);
    expect(page.status).toBe(404);
    expect(page.html).toContain('<title>Withdrawn</title>');
    expect(page.html).not.toContain('prerender-status-code');
  });

  it('shows a new price once the page is revalidated', async () => {
    const product = shop.product(7);
    shop.control({ command: 'price', id: 7, price: 4321.5 });
    const asked = await booted.instance.request('/Target', {
      method: 'POST',
      auth: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'revalidate', url: product.url }),
    });
    expect(asked.ok).toBe(true);
    await untilRendered(product.path, ({ html }) => html.includes('4,321.50') || html.includes('4321.50'));
  });

  it('goes on after the worker was killed with jobs in its hands', async () => {
    const { path } = shop.product(20);
    shop.control({ command: 'answer', id: 20, delayMs: 3_000 });
    await ask(path);
    await waitFor(() => shop.requests().filter(({ url }) => url === path).length >= 2, {
      what: 'the worker to ask for the page',
      limitMs: 30_000,
    });
    await worker?.kill();
    shop.control({ command: 'clear', id: 20 });
    startWorker();
    await untilRendered(path);
  });

  it('goes on after Harper was killed: pages, Targets and due renders are there', async () => {
    const known = shop.product(7).path;
    const waiting = shop.product(30).path;
    await worker?.kill();
    await ask(waiting);
    await waitFor(
      async () => (await booted.instance.request(`/Target/http://${HOST}${waiting}`, { auth: true })).status === 200,
      { what: 'the Target', limitMs: 10_000 },
    );
    await booted.instance.kill();
    await booted.restart();
    expect((await ask(known)).cacheStatus).toBe('hit');
    startWorker();
    await untilRendered(waiting);
  });

  it('serves what it has while the shop is down, and renders again when it is back', async () => {
    const known = shop.product(7).path;
    const { port } = shop;
    await shop.stop();
    expect((await ask(known)).cacheStatus).toBe('hit');
    expect((await ask('/product/prd-40/unknown.jsp')).status).toBe(502);
    shop = await startShop({ publicOrigin: `http://${HOST}`, products: 500, port });
    const back = shop.product(41).path;
    expect((await ask(back)).status).toBe(200);
    await untilRendered(back);
  });

  it('leaves a clean log', () => {
    assertCleanLog(booted.instance);
  });
});
