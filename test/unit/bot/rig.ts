import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createBotHandler, type BotHandlerDeps } from '../../../src/bot/bot-handler.ts';
import type { DiscoveryVerdict } from '../../../src/bot/discovery-verdict.ts';
import type { LookupAll } from '../../../src/bot/origin/guarded-connect.ts';
import { createOriginClient } from '../../../src/bot/origin/origin-client.ts';
import { createConfigStore } from '../../../src/config/config-store.ts';
import type { Config } from '../../../src/config/schema.ts';
import { createSystemClock, type Clock } from '../../../src/harper/clock.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../src/harper/http.ts';
import type { Blobs } from '../../../src/harper/blobs.ts';
import type { PageWrite, PrerenderedPage } from '../../../src/page/page.ts';
import { createPages, type Pages } from '../../../src/page/pages.ts';
import type { MintRequest, Target } from '../../../src/target/target.ts';
import { rawRequest, type RawRequest, type RawResponse } from '../../harper/harness/raw-http.ts';
import { sampleTarget } from '../fakes/sample-target.ts';
import { recordingLogger, type RecordingLogger } from '../fakes/logger.ts';
import { MemoryTable } from '../fakes/memory-table.ts';

export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

type Options = Record<string, unknown>;

export interface RigOptions {
  /** Options over those of the rig: groups are merged one level deep. */
  readonly options?: Options;
  readonly lookup?: LookupAll;
  readonly gates?: BotHandlerDeps['gates'];
}

/** What an origin was asked. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The bot path over real sockets: a front that writes answers as Harper does, and an origin of the test's own. */
export interface Rig {
  readonly frontUrl: string;
  readonly originPort: number;
  readonly asked: Asked[];
  /** What the origin does; the default is a small page. */
  answer: RequestListener;
  readonly pages: Pages;
  readonly pageTable: MemoryTable<PrerenderedPage>;
  readonly targets: Map<string, Target>;
  readonly minted: MintRequest[];
  readonly reopened: string[];
  readonly verdicts: DiscoveryVerdict[];
  /** `metric a b c` of each emission. */
  readonly metrics: string[];
  readonly logger: RecordingLogger;
  readonly blobs: { reads: number; read: Blobs['read'] };
  readonly handler: ReturnType<typeof createBotHandler>;
  /** Requests that are not answered to their end yet, and whose client is there. */
  readonly running: ReadonlySet<ServerResponse>;
  readonly config: Config;
  /** Makes the clock show a later time. */
  advance(ms: number): void;
  now(): number;
  setOptions(options: Options): void;
  /** A crawler's request for a path of `shop.test`, or for an absolute URL, in prefix mode. */
  ask(
    path: string,
    more?: Partial<RawRequest> & { readonly headers?: readonly (readonly [string, string])[] },
  ): Promise<RawResponse>;
  /** Any request, byte for byte, with a Host and `Connection: close` unless it has headers of its own. */
  raw(request: Omit<RawRequest, 'baseUrl'>): Promise<RawResponse>;
  storePage(path: string, page?: Partial<PageWrite>): Promise<void>;
  stop(): Promise<void>;
}

export async function startRig(rigOptions: RigOptions = {}): Promise<Rig> {
  const asked: Asked[] = [];
  const origin = createServer((request, response) => void receive(asked, request, response, () => rig.answer));
  const originPort = await listen(origin);
  let shift = 0;
  const system = createSystemClock(() => undefined);
  const clock: Clock = { ...system, now: () => Date.now() + shift };
  const logger = recordingLogger();
  const layer = (options: Options) => ({ name: 'test', options: merge(baseOptions(originPort), options) });
  const config = createConfigStore([layer(rigOptions.options ?? {})], { logger });
  const problems = config.problems().filter(({ severity }) => severity === 'error');
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const blobs = fakeBlobs();
  const pageTable = new MemoryTable<PrerenderedPage>('cacheKey');
  const pages = createPages({ table: pageTable, blobs, clock, config, logger });
  const parts = createParts();
  const client = createOriginClient({ config, ...(rigOptions.lookup && { lookup: rigOptions.lookup }) });
  const handler = createBotHandler({
    config,
    pages,
    targets: { find: (url) => parts.targets.get(url) },
    minter: {
      mint: (request) => parts.mint(request),
      mintAll: async (requests) => {
        const outcomes = await Promise.all(requests.map((request) => parts.mint(request)));
        return requests.filter((_request, index) => outcomes[index] === 'created').map(({ url }) => url);
      },
      reopen: async (url) => parts.reopened.push(url) > 0,
    },
    origin: client,
    demand: { record: (_resource, _request, verdict) => void parts.verdicts.push(verdict) },
    gates: rigOptions.gates ?? [],
    metrics: {
      count: (...args) => void parts.metrics.push(args.join(' ')),
      value: (key, _value, ...args) => void parts.metrics.push([key, ...args].join(' ')),
    },
    clock,
    logger,
  });
  const running = new Set<ServerResponse>();
  const front = createServer((request, response) => {
    running.add(response);
    response.on('close', () => running.delete(response));
    void serveLikeHarper(handler, request, response);
  });
  const frontUrl = `http://127.0.0.1:${await listen(front)}`;
  const rig: Rig = {
    ...parts,
    frontUrl,
    originPort,
    asked,
    answer: (_request, response) => response.setHeader('content-type', 'text/html').end('<h1>origin</h1>'),
    pages,
    pageTable,
    logger,
    blobs,
    handler,
    running,
    get config() {
      return config.current();
    },
    advance: (ms) => void (shift += ms),
    now: () => clock.now(),
    setOptions: (options) => void config.apply(merge(baseOptions(originPort), options)),
    raw: (request) => rawRequest({ ...request, baseUrl: frontUrl, headers: withDefaults(request.headers) }),
    ask: (path, { headers = [], ...more } = {}) =>
      rig.raw({
        path: `/p/${path.startsWith('/') ? `https://shop.test${path}` : path}`,
        headers: headers.some(([name]) => name.toLowerCase() === 'user-agent')
          ? headers
          : [['User-Agent', GOOGLEBOT], ...headers],
        ...more,
      }),
    storePage: (path, page) => pages.store({ ...samplePage(path, clock.now()), ...page }),
    async stop() {
      await client.close();
      for (const server of [front, origin]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  return rig;
}

function samplePage(path: string, now: number): PageWrite {
  return {
    url: `https://shop.test${path}`,
    deviceType: 'desktop',
    statusCode: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    html: Buffer.from(`<!DOCTYPE html><h1>rendered ${path}</h1>${'<p>text</p>'.repeat(50)}`),
    fetchedAt: now,
    expiresAt: now + 86_400_000,
    isIndexable: true,
    canonical: null,
  };
}

function baseOptions(originPort: number): Options {
  return {
    domains: ['shop.test'],
    ingress: {
      routes: [
        { match: 'prefix', path: '/static/', mode: 'passthrough' },
        { match: 'prefix', path: '/search', mode: 'prerender', queryParams: ['*'] },
        { match: 'prefix', path: '/', mode: 'prerender', queryParams: ['color', 'size'] },
      ],
    },
    origin: {
      upstreams: { 'shop.test': `http://127.0.0.1:${originPort}` },
      privateAddresses: [`127.0.0.1:${originPort}`],
    },
  };
}

function merge(base: Options, over: Options): Options {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const both = isObject(value) && isObject(base[key]);
    merged[key] = both ? { ...(base[key] as Options), ...value } : value;
  }
  return merged;
}

function isObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withDefaults(headers: RawRequest['headers'] = []): RawRequest['headers'] {
  const has = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
  const added: [string, string][] = [];
  if (!has('host')) added.push(['Host', 'prerender.test']);
  if (!has('connection')) added.push(['Connection', 'close']);
  return [...added, ...headers];
}

function fakeBlobs(): Rig['blobs'] & Blobs {
  const blobs = {
    reads: 0,
    create: (content: Buffer) => new Blob([new Uint8Array(content)]),
    async read(blob: Blob): Promise<Buffer> {
      blobs.reads++;
      return Buffer.from(await blob.arrayBuffer());
    },
  };
  return blobs;
}

function createParts() {
  const targets = new Map<string, Target>();
  const minted: MintRequest[] = [];
  const reopened: string[] = [];
  return {
    targets,
    minted,
    reopened,
    verdicts: [] as DiscoveryVerdict[],
    metrics: [] as string[],
    async mint(request: MintRequest): Promise<'created' | 'exists'> {
      minted.push(request);
      if (targets.has(request.url)) return 'exists';
      targets.set(request.url, sampleTarget(request.url));
      return 'created';
    },
  };
}

async function receive(
  asked: Asked[],
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => RequestListener,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  asked.push({
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  });
  answer()(request, response);
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Hands the request to the handler and writes its answer the way Harper's HTTP server does. */
export async function serveLikeHarper(
  handler: HttpHandler,
  node: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request: HttpRequest = {
    method: node.method ?? 'GET',
    url: node.url ?? '/',
    pathname: (node.url ?? '/').split('?')[0] ?? '/',
    headers: { get: (name) => node.headers[name.toLowerCase()] as string | undefined },
    _nodeRequest: node,
    _nodeResponse: response,
  };
  const next = (): HttpResponse => ({ status: 404, headers: {}, body: 'next handler' });
  const { status, headers: given, body } = await handler(request, next);
  // Answers may share their headers.
  const headers = { ...given };
  if (body === undefined && node.method !== 'HEAD') headers['content-length'] = '0';
  if (typeof body === 'string' || Buffer.isBuffer(body)) headers['content-length'] = String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  if (!(body instanceof Readable)) return void response.end(body);
  // The types say that every stream can be iterated.
  const iterable: unknown = body[Symbol.asyncIterator as never];
  const piped = iterable === undefined ? body : Readable.from(body);
  piped.pipe(response);
  response.on('close', () => piped.destroy());
}

/** Resolves once `condition` holds. @throws Error after two seconds, naming what was waited for. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 2_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
