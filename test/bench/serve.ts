import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { startHarperInstance, type HarperInstance } from '../../src/cli/harper-instance.ts';
import { COMPONENT_NAME, packageRoot, writeHostApp } from '../../src/cli/host-app.ts';
import { hashBody } from '../../src/page/etag.ts';
import { requireBuiltPackage } from '../harper/harness/package-copy.ts';
import { rawRequest } from '../harper/harness/raw-http.ts';
import { FLOORS } from './serve/floors.ts';
import type { LoadOptions, LoadResult } from './serve/load.ts';
import { anonymousMemory, processorTime, sendLoad, startOrigin } from './serve/processes.ts';

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const HIT = 'https://shop.test/product/hit';
const KNOWN_TARGETS = 5_000;
const MEGABYTE = 1_048_576;

interface Plan {
  readonly seconds: number;
  readonly rounds: number;
  readonly distinctMisses: number;
  readonly connections: number;
}

/** So many connections keep the one thread busy: with few, it is waited for by turns, and a floor is no floor. */
const CONNECTIONS = 128;
const FULL: Plan = { seconds: 4, rounds: 5, distinctMisses: 200_000, connections: CONNECTIONS };
const SMALL: Plan = { seconds: 2, rounds: 2, distinctMisses: 10_000, connections: CONNECTIONS };

/** One thing that is compared with its floor. */
interface Comparison {
  readonly name: string;
  readonly product: Pick<LoadOptions, 'path' | 'cycle'>;
  readonly floor: Pick<LoadOptions, 'path' | 'cycle'>;
  readonly acceptEncoding?: string;
  /** Share of the floor's requests per second. */
  readonly toReach: number;
  /** Times the floor's p99. */
  readonly p99ToReach?: number;
}

const COMPARISONS: readonly Comparison[] = [
  {
    name: 'hit, gzip accepted',
    product: { path: `/p/${HIT}` },
    floor: { path: '/floor/hit' },
    acceptEncoding: 'gzip',
    toReach: 0.85,
    p99ToReach: 2,
  },
  {
    name: 'hit, gzip not accepted',
    product: { path: `/p/${HIT}` },
    floor: { path: '/floor/hit' },
    toReach: 0.75,
    p99ToReach: 2,
  },
  {
    name: 'miss of a known Target',
    product: { path: '/p/https://shop.test/product/known-{n}', cycle: KNOWN_TARGETS },
    floor: { path: '/floor/proxy/product/known-{n}', cycle: KNOWN_TARGETS },
    toReach: 0.7,
  },
  {
    name: 'miss that mints',
    product: { path: '/p/https://shop.test/product/new-{n}' },
    floor: { path: '/floor/proxy/product/new-{n}' },
    toReach: 0.4,
  },
];

/**
 * Serves hits and misses on one worker thread of a real Harper and compares them with bare handlers in the same Harper, in
 * the same run; then measures how anonymous memory grows over distinct misses.
 */
export async function benchServe({ small }: { small: boolean }): Promise<void> {
  requireBuiltPackage();
  const plan = small ? SMALL : FULL;
  const dir = mkdtempSync(join(tmpdir(), 'prerender-bench-'));
  const origin = await startOrigin();
  let instance: HarperInstance | undefined;
  try {
    instance = await boot(dir, origin.url);
    await seed(instance);
    let counted = 0;
    for (const comparison of COMPARISONS) counted = await compare(instance, plan, comparison, counted);
    await measureMemory(instance, plan, counted);
  } finally {
    await instance?.stop();
    await origin.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function boot(dir: string, originUrl: string): Promise<HarperInstance> {
  const appDir = join(dir, 'app');
  const app = writeHostApp(appDir, {});
  writeFileSync(join(appDir, 'floors.js'), FLOORS);
  app.writeConfig(
    stringify({
      jsResource: { files: 'floors.js' },
      [COMPONENT_NAME]: {
        package: COMPONENT_NAME,
        files: '/',
        domains: ['shop.test'],
        ingress: { routes: [{ match: 'prefix', path: '/product/', mode: 'prerender' }] },
        origin: { upstreams: { 'shop.test': originUrl }, privateAddresses: [new URL(originUrl).host] },
      },
    }),
  );
  const undici = pathToFileURL(join(packageRoot(), 'node_modules', 'undici', 'index.js')).href;
  return startHarperInstance({
    appDir,
    dataDir: join(dir, 'node'),
    threads: 1,
    readyPath: '/prerender_health',
    env: { BENCH_ORIGIN: originUrl, BENCH_UNDICI: undici, LOGGING_LEVEL: 'error' },
  });
}

/** Stores the page of the hits, gives the floor the very same answers, and registers the known Targets. */
async function seed(instance: HarperInstance): Promise<void> {
  const html = samplePage();
  const now = Date.now();
  const page = {
    cacheKey: `${HIT}|desktop`,
    statusCode: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    content: gzipSync(html).toString('base64'),
    bodyHash: hashBody(html),
    fetchedAt: now,
    lastModified: now,
    lastCached: now,
    expiresAt: now + 86_400_000,
    expiredBy: null,
    isIndexable: true,
    canonical: null,
    bodyBytes: html.length,
    failures: 0,
  };
  const targets = Array.from({ length: KNOWN_TARGETS }, (_, n) => ({
    url: `https://shop.test/product/known-${n}`,
    source: 'admin',
    createdAt: now,
    state: null,
    strikes: 0,
  }));
  await post(instance, { pages: [page], targets });
  await post(instance, {
    answers: { gzip: await replay(instance, 'gzip'), identity: await replay(instance, 'identity') },
  });
}

/** Headers that Harper or Node add to every answer. */
const ADDED = new Set(['connection', 'content-length', 'date', 'keep-alive', 'server', 'server-timing']);

/** The product's own answer, byte for byte, for the floor to repeat. */
async function replay(instance: HarperInstance, encoding: string): Promise<object> {
  const answer = await rawRequest({
    baseUrl: instance.httpUrl,
    path: `/p/${HIT}`,
    headers: [
      ['Host', 'bench'],
      ['User-Agent', GOOGLEBOT],
      ['Accept-Encoding', encoding],
      ['Connection', 'close'],
    ],
  });
  if (answer.status !== 200 || answer.header('etag') === undefined) {
    throw new Error(`The page of the hits is not served from the cache: ${answer.status} ${answer.body.toString()}`);
  }
  const headers = [...answer.headers].filter(([name]) => !ADDED.has(name)).map(([name, [value]]) => [name, value]);
  return { headers: Object.fromEntries(headers) as unknown, body: answer.body.toString('base64') };
}

async function post(instance: HarperInstance, body: object): Promise<void> {
  const response = await instance.request('/floor/seed', { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 204) throw new Error(`Seeding was answered ${response.status}: ${await response.text()}`);
}

/** Runs product and floor in turn; the best round of each counts, since what disturbs a run only ever slows it. */
async function compare(instance: HarperInstance, plan: Plan, comparison: Comparison, from: number): Promise<number> {
  const load = (what: Pick<LoadOptions, 'path' | 'cycle'>, seconds: number): Promise<LoadResult> =>
    sendLoad({
      ...what,
      url: instance.httpUrl,
      from: counted,
      headers: {
        'user-agent': GOOGLEBOT,
        ...(comparison.acceptEncoding && { 'accept-encoding': comparison.acceptEncoding }),
      },
      connections: plan.connections,
      duration: seconds,
    });
  let counted = from;
  const measured: Record<'product' | 'floor', Measured[]> = { product: [], floor: [] };
  for (let round = 0; round <= plan.rounds; round++) {
    for (const side of ['floor', 'product'] as const) {
      const before = processorTime(instance.pid);
      const result = await load(comparison[side], plan.seconds);
      const processor = (processorTime(instance.pid) - before) / result.requests;
      counted += result.requests + 2 * plan.connections;
      if (result.failures > 0) throw new Error(`${comparison.name}: ${result.failures} requests of the ${side} failed`);
      // The first round warms up.
      if (round > 0) measured[side].push({ ...result, processor });
    }
  }
  report(comparison, fastest(measured.product), fastest(measured.floor));
  return counted;
}

/** A round, with the microseconds of processor time that a request took: the figure to trust on a machine that is busy. */
type Measured = LoadResult & { readonly processor: number };

function fastest(results: readonly Measured[]): Measured {
  const [best] = [...results].sort((a, b) => b.perSecond - a.perSecond);
  if (best === undefined) throw new Error('There was no round');
  return best;
}

function report(comparison: Comparison, product: Measured, floor: Measured): void {
  const ratio = product.perSecond / floor.perSecond;
  const tail = product.p99 / Math.max(1, floor.p99);
  const line = ({ perSecond, p50, p99, processor }: Measured): string =>
    `${perSecond.toFixed(0)} requests/s, p50 ${p50} ms, p99 ${p99} ms, ${processor.toFixed(1)} µs of processor each`;
  console.log(`${comparison.name}: ${line(product)}; its floor: ${line(floor)}`);
  console.log(
    `  share of the floor: ${ratio.toFixed(2)} (to reach: ≥ ${comparison.toReach}, ${verdict(ratio >= comparison.toReach)})`,
  );
  if (comparison.p99ToReach === undefined) return;
  console.log(
    `  p99 / p99 of the floor: ${tail.toFixed(2)} (to reach: ≤ ${comparison.p99ToReach}, ${verdict(tail <= comparison.p99ToReach)})`,
  );
}

function verdict(reached: boolean): string {
  return reached ? 'reached' : 'MISSED';
}

async function measureMemory(instance: HarperInstance, plan: Plan, from: number): Promise<void> {
  const before = anonymousMemory(instance.pid);
  const result = await sendLoad({
    url: instance.httpUrl,
    path: '/p/https://shop.test/product/distinct-{n}',
    from,
    headers: { 'user-agent': GOOGLEBOT },
    connections: plan.connections,
    amount: plan.distinctMisses,
  });
  const grown = (anonymousMemory(instance.pid) - before) / MEGABYTE;
  console.log(
    `memory: anonymous memory grew by ${grown.toFixed(0)} MB over ${result.requests} distinct misses ` +
      `(to reach: < 150 MB over ${FULL.distinctMisses}, ${verdict(grown < 150)})`,
  );
}

/** A page of 30 KB that compresses about as a shop's does. */
function samplePage(): Buffer {
  const lines: string[] = ['<!DOCTYPE html><title>Hit</title>'];
  let length = 0;
  for (let n = 1; length < 30_000; n++) {
    const line = `<li class="tile"><a href="/product/prd-${(n * 7919) % 100_000}">${(n * 2_654_435_761) % 1e9}</a> ${n % 97}.99</li>`;
    lines.push(line);
    length += line.length;
  }
  return Buffer.from(lines.join('\n')).subarray(0, 30_000);
}
