import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeCommands, parseCommand, ShopCommandError, type ShopCommand } from './commands.ts';
import { readText } from './read-text.ts';
import type { RequestLog } from './request-log.ts';
import type { RuleBook } from './rules.ts';
import type { Offer, Shelf } from './shelf.ts';
import { catalogPaths } from './sitemaps.ts';

/** What the control API works on. */
export interface Controlled {
  readonly shelf: Shelf;
  readonly rules: RuleBook;
  readonly log: RequestLog;
  readonly publicOrigin: string;
}

/** A product as the control API describes it. */
export interface ProductState {
  readonly id: number;
  readonly name: string;
  readonly brand: string;
  readonly slug: string;
  /** Dollars. */
  readonly price: number;
  readonly inStock: boolean;
  readonly path: string;
  /** The spelling in the sitemap, on the public origin. */
  readonly url: string;
  /** Last change, ms since 1970. */
  readonly changedAt: number;
}

/** The path under which the shop is controlled. */
export const CONTROL_PATH = '/__shop';

/** A product's state, or undefined when the shop never sold that id. */
export function productState(id: number, { shelf, publicOrigin }: Controlled): ProductState | undefined {
  const offer = shelf.offer(id);
  return offer && describe(offer, publicOrigin);
}

/** Does what a command says. Product commands answer the product's new state. Throws ShopCommandError on a bad command. */
export function obey(input: ShopCommand, on: Controlled): ProductState | undefined {
  const command = parseCommand(input, on.shelf.size);
  switch (command.command) {
    case 'price':
      on.shelf.setPrice(command.id, Math.round(command.price * 100));
      return productState(command.id, on);
    case 'slug':
      on.shelf.setSlug(command.id, command.slug);
      return productState(command.id, on);
    case 'sell-out':
    case 'restock':
      on.shelf.setInStock(command.id, command.command === 'restock');
      return productState(command.id, on);
    case 'answer': {
      const { command: _command, path, id, ...rule } = command;
      if (path !== undefined) on.rules.setForPath(path, rule);
      else if (id !== undefined) on.rules.setForProduct(id, rule);
      return undefined;
    }
    case 'page': {
      const { command: _command, path, ...page } = command;
      on.rules.setPage(path, page);
      return undefined;
    }
    case 'clear':
      if (command.path !== undefined) on.rules.clearPath(command.path);
      else if (command.id !== undefined) on.rules.clearProduct(command.id);
      return undefined;
    case 'reset':
      on.shelf.reset();
      on.rules.clearAll();
      return undefined;
  }
}

/** Answers a request under `/__shop`. Bad commands get a 400 that says what is right. */
export async function answerControl(request: IncomingMessage, response: ServerResponse, on: Controlled): Promise<void> {
  const send = (status: number, data: object, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
    response.end(`${JSON.stringify(data)}\n`);
  };
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  const rest = pathname.slice(CONTROL_PATH.length).replace(/^\//, '');
  try {
    if (request.method === 'POST') {
      const result = obey(readCommand(await readText(request, 5_000_000), rest), on);
      send(200, { done: true, ...(result && { product: result }) });
    } else if (rest === 'requests') requests(request, searchParams, on, send);
    else if (request.method !== 'GET')
      send(405, { error: 'Use GET to look and POST to command' }, { allow: 'GET, POST' });
    else look(rest, on, send);
  } catch (error) {
    if (!(error instanceof ShopCommandError)) throw error;
    send(400, { error: error.message });
  }
}

type Send = (status: number, data: object, headers?: Record<string, string>) => void;

function requests(request: IncomingMessage, parameters: URLSearchParams, { log }: Controlled, send: Send): void {
  if (request.method === 'DELETE') {
    log.clear();
    return send(200, { done: true });
  }
  if (request.method !== 'GET') return send(405, { error: 'Use GET or DELETE' }, { allow: 'GET, DELETE' });
  const since = parameters.get('since') ?? '0';
  if (!/^\d{1,15}$/.test(since))
    throw new ShopCommandError(`since is "${since}"; it must be a whole number, the "last" of an earlier answer`);
  return send(200, { last: log.last(), dropped: log.dropped(), requests: log.since(Number(since)) });
}

function look(rest: string, on: Controlled, send: Send): void {
  const id = /^product\/(\d+)$/.exec(rest)?.[1];
  const product = id === undefined ? undefined : productState(Number(id), on);
  if (product) return send(200, product);
  if (id !== undefined) return send(404, { error: `There is no product ${id}; ids go from 1 to ${on.shelf.size}` });
  if (rest === 'catalog') return send(200, { urls: catalogPaths(on.shelf).map((path) => on.publicOrigin + path) });
  if (rest !== '') {
    return send(404, {
      error: `Nothing at ${CONTROL_PATH}/${rest}; GET ${CONTROL_PATH}, /requests?since=N, /product/ID or /catalog`,
    });
  }
  return send(200, {
    publicOrigin: on.publicOrigin,
    products: on.shelf.size,
    listed: on.shelf.listedCount(),
    commands: describeCommands(on.shelf.size),
  });
}

function readCommand(body: string, name: string): ShopCommand {
  let command: unknown;
  try {
    command = body.trim() === '' ? {} : JSON.parse(body);
  } catch {
    throw new ShopCommandError('The body is not JSON; send a JSON object, e.g. {"id":1,"price":9.5} to /__shop/price');
  }
  const isObject = typeof command === 'object' && command !== null && !Array.isArray(command);
  // Checked again, with all its fields, by the one who obeys it.
  return (isObject && name !== '' ? { ...(command as object), command: name } : command) as ShopCommand;
}

function describe(offer: Offer, publicOrigin: string): ProductState {
  const { id, name, brand, slug, cents, inStock, path, changedAt } = offer;
  return { id, name, brand, slug, price: cents / 100, inStock, path, url: publicOrigin + path, changedAt };
}
