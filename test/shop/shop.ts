import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { applyRule, deliver, ok, statusPage } from './answer.ts';
import { createAssortment } from './assortment.ts';
import type { ShopCommand } from './commands.ts';
import { answerControl, CONTROL_PATH, obey, productState, type Controlled, type ProductState } from './control.ts';
import { readText } from './read-text.ts';
import { createRequestLog, type LoggedRequest } from './request-log.ts';
import { echoAnswer, route, type RouteOptions } from './router.ts';
import { createRuleBook } from './rules.ts';
import { createShelf } from './shelf.ts';

export type { LoggedRequest, ProductState, ShopCommand };

/** How a shop is opened. Everything has a default. */
export interface ShopOptions {
  /** Port to listen on; 0 (default) takes a free one. */
  port?: number;
  /** Address to listen on, default 127.0.0.1. */
  host?: string;
  /** Size of the assortment: ids go from 1 to this. Default 200. */
  products?: number;
  /** The origin that canonicals, sitemaps and structured data name; default the shop's own address. No trailing slash. */
  publicOrigin?: string;
  /** Another seed, other products. Default 1. */
  seed?: number;
  /** How many requests the log keeps. Default 20,000. */
  logLimit?: number;
  /** Whether the canonical stands in the server's HTML (default) or is set by the script. */
  canonicalIn?: 'server' | 'script';
  /** How long the script waits before it fills the page, in ms. Default 100. */
  scriptDelayMs?: number;
  /** Entries of one product sitemap. Default 1000. */
  entriesPerSitemap?: number;
}

/** A running shop. */
export interface Shop {
  /** Where it listens, e.g. `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly port: number;
  readonly publicOrigin: string;
  /** What it was asked after position `since` (default: all that the log holds), control requests left out. */
  requests(since?: number): LoggedRequest[];
  clearRequests(): void;
  /** Tells it something; product commands answer the product's new state. Throws ShopCommandError on a bad command. */
  control(command: ShopCommand): ProductState | undefined;
  /** A product's current state. Throws when the shop never sold that id. */
  product(id: number): ProductState;
  /** Closes it at once, cutting open connections. */
  stop(): Promise<void>;
}

/** Opens a shop. Rejects when the port cannot be had. */
export async function startShop(options: ShopOptions = {}): Promise<Shop> {
  const { port = 0, host = '127.0.0.1', products = 200, seed = 1 } = options;
  const log = createRequestLog(options.logLimit);
  // Long headers and idle connections are the client's business here, so that no test meets the shop's own limits.
  const server = createServer({ maxHeaderSize: 131_072, keepAliveTimeout: 60_000 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`;
  const publicOrigin = options.publicOrigin ?? origin;
  const shelf = createShelf(createAssortment(products, seed), Date.now);
  const on: Controlled = { shelf, rules: createRuleBook(), log, publicOrigin };
  const routes: RouteOptions = {
    publicOrigin,
    canonicalIn: options.canonicalIn ?? 'server',
    scriptDelayMs: options.scriptDelayMs ?? 100,
    entriesPerSitemap: options.entriesPerSitemap ?? 1000,
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, on, routes).catch((error: unknown) => fail(response, error));
  });

  return {
    origin,
    port: actualPort,
    publicOrigin,
    requests: (since = 0) => log.since(since),
    clearRequests: () => log.clear(),
    control: (command) => obey(command, on),
    product(id) {
      const state = productState(id, on);
      if (state === undefined) throw new RangeError(`There is no product ${id}; ids go from 1 to ${products}`);
      return state;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  on: Controlled,
  options: RouteOptions,
): Promise<void> {
  const url = request.url ?? '/';
  if (url === CONTROL_PATH || /^\/__shop[/?]/.test(url)) return answerControl(request, response, on);
  on.log.add(request, Date.now());
  const page = on.rules.takePage(url);
  const rule = on.rules.takeRule(url);
  const echoed = page?.echo === true || rule?.echo === true || /^\/echo(?:$|[/?])/.test(url);
  const body = await readText(request, 1_000_000);
  const delay = (page?.delayMs ?? 0) + (rule?.delayMs ?? 0);
  if (delay > 0) await waitWhileOpen(response, delay);
  if (page?.hangUp === true || rule?.hangUp === true) {
    request.socket.destroy();
    return;
  }
  let result = echoed
    ? echoAnswer(request, body)
    : page
      ? ok('text/html; charset=utf-8', '')
      : route(request, on.shelf, options, rule);
  if (page) result = applyRule(result, page);
  if (rule) result = applyRule(result, rule);
  deliver(request, response, result, rule?.dropAfterBytes ?? page?.dropAfterBytes);
}

/** Waits, or rejects as soon as the connection is gone. */
async function waitWhileOpen(response: ServerResponse, ms: number): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  await wait(ms, undefined, { signal: gone.signal });
}

function fail(response: ServerResponse, error: unknown): void {
  // A request that was cut off, by the client or by closing the shop, has nobody left to answer.
  if (response.destroyed || response.headersSent) return;
  const { status, body } = statusPage(500, 'The shop is broken');
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(`${body.toString()}\n${String(error)}\n`);
}
