import { setTimeout as delay } from 'node:timers/promises';
import { SHOP_HOST } from './demo-config.ts';
import type { HarperInstance } from './harper-instance.ts';

const GOOGLEBOT =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/147.0.0.0 Safari/537.36';
const PERSON =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

const CACHE_STATUSES = new Set(
  'hit swr stale invalidated blob-missing blob-timeout peer-rescue miss bypass skip'.split(' '),
);
const SERVED_FROM_CACHE = new Set(['hit', 'swr']);

/** Products that are tried until one is found that no earlier start has rendered. */
const PRODUCTS_TRIED = 50;

/** An answer, as the story tells it. */
export interface Answer {
  status: number;
  /** Ms until the whole body was there. */
  ms: number;
  cacheStatus: string | undefined;
  bytes: number;
  title: string;
  price: string;
}

/** What the story is told with. */
export interface LifeOptions {
  instance: Pick<HarperInstance, 'httpUrl' | 'operation'>;
  shop: { origin: string; control: string };
  /** Whether a worker runs: without one the page is never rendered. */
  rendering: boolean;
  say: (line: string) => void;
  /** Ms that the render may take; default 60,000. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** How the story ended. */
export interface LifeResult {
  /** The page's public URL. */
  url: string;
  /** Where a crawler's request for it goes. */
  address: string;
  /** Whether the crawler got the rendered page from the cache. */
  rendered: boolean;
}

/**
 * Shows the life of one product page: a crawler's miss, its Target, the render, the crawler's hit, and what a person gets.
 * Throws only when the shop or the instance cannot be reached at all.
 */
export async function showLifeOfPage(options: LifeOptions): Promise<LifeResult> {
  const { instance, shop, say } = options;
  const url = await findNewPage(options);
  const address = `${instance.httpUrl}/p/${url}`;
  const result = { url, address, rendered: false };
  say('');
  say(`The life of one page: ${url}`);
  say('');

  const startedAt = Date.now();
  const shopBefore = await askedPosition(shop.control);
  const first = await ask(address, GOOGLEBOT);
  const asked = await askedSince(shop.control, shopBefore);
  say(`  1. Googlebot asks. ${describe(first)}`);
  say(`     ${asked === 1 ? 'One request' : `${asked} requests`} reached the shop; ${contents(first)}.`);
  await sayTarget(options, url);
  if (!options.rendering) {
    say('     No render worker runs, so it stays with that.');
    return result;
  }

  const renderedAfter = await waitForHit(options, address, startedAt);
  if (renderedAfter === undefined) {
    say(
      `  3. Not rendered within ${seconds(options.limitMs ?? DEFAULT_LIMIT_MS)}; worker/worker.log in the data directory tells why.`,
    );
    return result;
  }
  say(
    `  3. A render worker claims the job, renders it in Chromium and reports: in the cache after ${seconds(renderedAfter)}.`,
  );

  const before = await askedPosition(shop.control);
  const second = await ask(address, GOOGLEBOT);
  const again = await askedSince(shop.control, before);
  say(`  4. Googlebot asks again. ${describe(second)}`);
  say(`     ${again === 0 ? 'No request' : `${again} requests`} reached the shop; ${contents(second)}.`);

  const person = await ask(shop.origin + new URL(url).pathname, PERSON, { host: SHOP_HOST });
  say(`  5. A person's request goes to the shop, as the CDN routes it. ${describe(person)}`);
  say(`     The shop's own page, ${contents(person)}: its script fills them in in the browser.`);
  return { ...result, rendered: second.cacheStatus === 'hit' && second.title !== '' };
}

const DEFAULT_LIMIT_MS = 60_000;

/** The first product that is not answered from the cache; HEAD adds nothing to the rotation and counts nothing. */
async function findNewPage({ instance, shop }: LifeOptions): Promise<string> {
  let url = '';
  for (let id = 1; id <= PRODUCTS_TRIED; id++) {
    const response = await fetch(`${shop.control}/product/${id}`);
    if (!response.ok) break;
    ({ url } = (await response.json()) as { url: string });
    const { cacheStatus } = await ask(`${instance.httpUrl}/p/${url}`, GOOGLEBOT, {}, 'HEAD');
    if (cacheStatus === undefined || !SERVED_FROM_CACHE.has(cacheStatus)) return url;
  }
  return url;
}

async function sayTarget({ instance, say }: LifeOptions, url: string): Promise<void> {
  const target = await readRow(instance, 'render_service', 'Target', url);
  if (!target) return say('  2. No Target was added: see why with the debug header.');
  const schedule = await readRow(instance, 'render_schedule', 'RenderSchedule', url);
  const due = Number(schedule?.nextRenderTime) - Date.now();
  const when = Number.isFinite(due) ? `; its render is due ${due <= 0 ? 'now' : `in ${seconds(due)}`}` : '';
  const by = typeof target.discoveredBy === 'string' ? ` (discovered by ${target.discoveredBy})` : '';
  say(`  2. The URL is in the rotation now: a Target${by}${when}.`);
}

async function readRow(
  instance: LifeOptions['instance'],
  database: string,
  table: string,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const end = Date.now() + 2_000;
  // It is written beside the answer, not before it.
  do {
    try {
      const rows = await instance.operation<Record<string, unknown>[]>({
        operation: 'search_by_id',
        database,
        table,
        ids: [id],
        get_attributes: ['*'],
      });
      if (rows[0]) return rows[0];
    } catch {
      return undefined;
    }
    await delay(50);
  } while (Date.now() < end);
  return undefined;
}

/** Ms since `startedAt` when the page was first seen in the cache; undefined when the limit is over or the start is stopped. */
async function waitForHit(options: LifeOptions, address: string, startedAt: number): Promise<number | undefined> {
  const end = startedAt + (options.limitMs ?? DEFAULT_LIMIT_MS);
  while (Date.now() < end && !options.signal?.aborted) {
    const { cacheStatus } = await ask(address, GOOGLEBOT, {}, 'HEAD');
    if (cacheStatus !== undefined && SERVED_FROM_CACHE.has(cacheStatus)) return Date.now() - startedAt;
    await delay(100);
  }
  return undefined;
}

async function ask(
  address: string,
  userAgent: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(address, {
    method,
    redirect: 'manual',
    headers: { 'user-agent': userAgent, 'x-prerender-debug': '1', ...headers },
  });
  const html = await response.text();
  const ms = performance.now() - start;
  return {
    status: response.status,
    ms,
    cacheStatus: cacheStatusOf(response.headers),
    bytes: Buffer.byteLength(html),
    title: /<title>([^<]*)<\/title>/i.exec(html)?.[1]?.trim() ?? '',
    price: /id="price"[^>]*>([^<]*)</.exec(html)?.[1]?.trim() ?? '',
  };
}

function cacheStatusOf(headers: Headers): string | undefined {
  for (const [name, value] of headers) {
    if (name.startsWith('x-prerender-') && CACHE_STATUSES.has(value)) return value;
  }
  return undefined;
}

async function askedPosition(control: string): Promise<number> {
  const response = await fetch(`${control}/requests?since=999999999999`);
  return ((await response.json()) as { last: number }).last;
}

async function askedSince(control: string, position: number): Promise<number> {
  const response = await fetch(`${control}/requests?since=${position}`);
  return ((await response.json()) as { requests: unknown[] }).requests.length;
}

function describe(answer: Answer): string {
  const cache = answer.cacheStatus === undefined ? '' : `, cache status ${answer.cacheStatus}`;
  return `${answer.status} in ${answer.ms.toFixed(1)} ms${cache}`;
}

function contents(answer: Answer): string {
  const title = answer.title === '' ? 'no title' : `title "${answer.title}"`;
  const price = answer.price === '' ? 'no price' : `price ${answer.price}`;
  return `${answer.bytes} bytes of HTML with ${title} and ${price}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
