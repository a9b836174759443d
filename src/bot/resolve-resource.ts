import { PrerenderError } from '../errors.ts';
import type { Logger } from '../harper/logger.ts';
import type { Entry } from '../harper/table.ts';
import type { PageEncoding } from '../page/etag.ts';
import type { BodyRead } from '../page/bodies.ts';
import { beatsOriginError, freshnessOf } from '../page/freshness.ts';
import type { PrerenderedPage } from '../page/page.ts';
import type { Pages } from '../page/pages.ts';
import type { TargetReader } from '../target/target.ts';
import { isStorableKey } from '../url/cache-key.ts';
import { isPrerendered, type BotRequest } from './bot-request.ts';
import type { CacheStatus } from './bot-target.ts';
import { fetchOrigin, type FetchOriginDeps } from './fetch-origin.ts';
import { ClientGone } from './origin/client-signal.ts';
import { logLine } from './origin/origin-error.ts';
import type { Resource } from './resource.ts';
import { maySkipCache } from './skip-token.ts';

export interface ResolveDeps extends FetchOriginDeps {
  readonly pages: Pages;
  readonly targets: TargetReader;
  readonly logger: Logger;
  readonly chooseEncoding: (header: string | null | undefined) => PageEncoding;
}

type PageEntry = Entry<PrerenderedPage>;

/** Answers of an origin that is down: a page beats them. */
const DOWN: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/**
 * Finds what answers the request. Synchronous when the page is in memory, which is the common case and the fast one.
 * @throws ClientGone, and PrerenderError of a request body that cannot be passed on.
 */
export function resolveResource(deps: ResolveDeps, request: BotRequest): Resource | Promise<Resource> {
  const { method, headers } = request.http;
  if (request.own || (method !== 'GET' && method !== 'HEAD')) return fromOrigin(deps, request, 'bypass');
  if (!isPrerendered(request) || !isStorableKey(request.cacheKey)) return fromOrigin(deps, request, 'bypass');
  if (maySkipCache(headers, request.config)) return fromOrigin(deps, request, 'skip');
  const entry = deps.pages.find(request.cacheKey);
  if (entry === undefined) return fromOrigin(deps, request, 'miss');
  const freshness = freshnessOf(entry.value, request.receivedAt, request.config.page);
  if (freshness === 'stale') return fromOrigin(deps, request, 'stale', entry);
  const cacheStatus = freshness === 'fresh' ? 'hit' : 'swr';
  const encoding = deps.chooseEncoding(headers.get('accept-encoding'));
  const body = deps.pages.bodies.peek(entry.value, encoding);
  if (body !== undefined) return servePage(entry, body, cacheStatus);
  return readPage(deps, request, entry, cacheStatus, encoding);
}

function servePage(entry: PageEntry, body: Exclude<BodyRead, string>, cacheStatus: CacheStatus): Resource {
  return { cacheStatus, source: 'cache', page: { row: entry.value, version: entry.version, body } };
}

async function readPage(
  deps: ResolveDeps,
  request: BotRequest,
  entry: PageEntry,
  cacheStatus: CacheStatus,
  encoding: PageEncoding,
): Promise<Resource> {
  const body = await deps.pages.bodies.read(entry.value, encoding);
  if (typeof body === 'object') return servePage(entry, body, cacheStatus);
  return fromOrigin(deps, request, body, entry);
}

async function fromOrigin(
  deps: ResolveDeps,
  request: BotRequest,
  cacheStatus: CacheStatus,
  entry?: PageEntry,
): Promise<Resource> {
  try {
    const answer = await fetchOrigin(deps, request, cacheStatus);
    if (entry !== undefined && DOWN.has(answer.status)) {
      const page = await standIn(deps, request, cacheStatus);
      if (page !== undefined) {
        if ('exchange' in answer.body) answer.body.exchange.release();
        return page;
      }
    }
    return { cacheStatus, source: 'origin', answer, shared: 'shared' in answer.body };
  } catch (error) {
    if (!(error instanceof PrerenderError) || error instanceof ClientGone) throw error;
    if (!isOriginError(error)) return { cacheStatus, source: 'none', error };
    deps.logger.warn(logLine(error));
    const page = entry && isOutage(error) ? await standIn(deps, request, cacheStatus) : undefined;
    return page ?? { cacheStatus, source: 'none', error };
  }
}

/** The page that beats an origin which is down; undefined when there is none that may. */
async function standIn(
  deps: ResolveDeps,
  request: BotRequest,
  cacheStatus: CacheStatus,
): Promise<Resource | undefined> {
  // Read again: while the origin was asked, the page may have been expired or removed.
  const current = deps.pages.find(request.cacheKey);
  if (current === undefined) return undefined;
  if (!beatsOriginError(current.value, request.receivedAt, request.config.page)) return undefined;
  if ((deps.targets.find(request.target.url)?.state ?? null) !== null) return undefined;
  const encoding = deps.chooseEncoding(request.http.headers.get('accept-encoding'));
  const body = await deps.pages.bodies.read(current.value, encoding);
  return typeof body === 'object' ? servePage(current, body, cacheStatus) : undefined;
}

function isOriginError({ code }: PrerenderError): boolean {
  return code === 'ADDRESS_REFUSED' || code === 'ORIGIN_UNREACHABLE' || code === 'ORIGIN_TIMEOUT';
}

function isOutage({ code }: PrerenderError): boolean {
  return code === 'ORIGIN_UNREACHABLE' || code === 'ORIGIN_TIMEOUT';
}
