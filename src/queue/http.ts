import type { ConfigSource } from '../config/schema.ts';
import { describeError, PrerenderError } from '../errors.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../harper/http.ts';
import type { Logger } from '../harper/logger.ts';
import { requireSameOrigin } from '../harper/same-origin.ts';
import { readBody } from '../harper/request-body.ts';
import { MAX_METADATA_BYTES, type ResultReader } from '../protocol/check-result.ts';
import type { Claims } from './claim.ts';
import type { Results } from './results.ts';

export const QUEUE_PREFIX = '/render_queue';
/** Role of render workers, shipped in roles.yaml. */
export const WORKER_ROLE = 'prerender_worker';

const MAX_CLAIM_BYTES = 16_384;

/** What the handler is built from. */
export interface QueueHandlerDeps {
  readonly queue: Claims & Results;
  readonly reader: ResultReader;
  readonly config: ConfigSource;
  readonly logger: Logger;
}

/**
 * `POST /render_queue/claim` and `POST /render_queue/job_result`: an ordinary `server.http` handler, for the worker role and super
 * users. Always answers, and a refused call loses no lease.
 */
export function createQueueHandlers(deps: QueueHandlerDeps): HttpHandler {
  const routes = new Map<string, (request: HttpRequest) => Promise<HttpResponse>>([
    [`${QUEUE_PREFIX}/claim`, (request) => claim(deps, request)],
    [`${QUEUE_PREFIX}/job_result`, (request) => takeResult(deps, request)],
  ]);
  return async (request, next) => {
    const { pathname } = request;
    if (pathname !== QUEUE_PREFIX && !pathname.startsWith(`${QUEUE_PREFIX}/`)) return next(request);
    try {
      requireWorker(request);
      requireSameOrigin(request);
      const route = routes.get(pathname);
      if (!route) throw new PrerenderError('NOT_FOUND', { path: pathname.slice(0, 200) });
      if (request.method !== 'POST') {
        throw new PrerenderError('METHOD_NOT_ALLOWED', { method: request.method, allowed: 'POST' });
      }
      return await route(request);
    } catch (error) {
      return errorResponse(deps.logger, request, error);
    }
  };
}

function requireWorker({ user }: HttpRequest): void {
  if (!user) throw new PrerenderError('AUTHENTICATION_REQUIRED');
  const { role } = user;
  if (role?.role === WORKER_ROLE || role?.permission?.super_user === true) return;
  throw new PrerenderError('ROLE_REQUIRED', { role: `the role ${WORKER_ROLE} or a super user` });
}

async function claim({ queue, config }: QueueHandlerDeps, request: HttpRequest): Promise<HttpResponse> {
  const limit = readLimit(await readBody(request, MAX_CLAIM_BYTES), config.current().render.maxClaim);
  return json(200, await queue.claim(limit));
}

/** An empty body, or one without `limit`, asks for as many as one claim may be granted. */
function readLimit(body: Buffer, maxClaim: number): number {
  if (body.length === 0) return maxClaim;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new PrerenderError('CLAIM_INVALID', { reason: 'the body is not JSON' }, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PrerenderError('CLAIM_INVALID', { reason: 'the body has to be an object such as {"limit": 10}' });
  }
  const { limit = maxClaim } = value as { limit?: unknown };
  if (!('limit' in value) && Object.keys(value).length > 0) {
    throw new PrerenderError('CLAIM_INVALID', { reason: 'the object has no `limit`; it has to be like {"limit": 10}' });
  }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) {
    const given = (JSON.stringify(limit) ?? 'missing').slice(0, 40);
    throw new PrerenderError('CLAIM_INVALID', { reason: `\`limit\` has to be a whole number above 0, not ${given}` });
  }
  return Math.min(limit, maxClaim);
}

async function takeResult({ queue, reader, config }: QueueHandlerDeps, request: HttpRequest): Promise<HttpResponse> {
  const { render, page } = config.current();
  if (!render.acceptResults) throw new PrerenderError('NOT_READY', { reason: 'render.acceptResults is off' });
  const body = await readBody(request, render.maxResultBytes + MAX_METADATA_BYTES);
  const htmlBytes = Math.max(page.maxBodyBytes, render.maxResultBytes);
  const result = await reader.read(body, request.headers.get('x-metadata-size'), { htmlBytes });
  await queue.take(result);
  return { status: 204, headers: { 'cache-control': 'no-store' } };
}

function json(status: number, body: unknown): HttpResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: JSON.stringify(body) };
}

/** Whatever went wrong, the worker gets an answer that tells it whether to try again: 503 when it is this node's trouble. */
function errorResponse(logger: Logger, request: HttpRequest, error: unknown): HttpResponse {
  if (!(error instanceof PrerenderError)) {
    logger.error(`${request.pathname} failed: ${describeError(error)}`);
    return closing(request, json(503, { error: { code: 'INTERNAL', message: 'The call failed; it may be repeated' } }));
  }
  const response = json(error.status, { error: { code: error.code, message: error.message } });
  if (error.code === 'AUTHENTICATION_REQUIRED') response.headers['www-authenticate'] = 'Basic realm="render_queue"';
  if (error.code === 'METHOD_NOT_ALLOWED') response.headers['allow'] = 'POST';
  if (error.code === 'BODY_TOO_LARGE') response.headers['connection'] = 'close';
  return closing(request, response);
}

/** A body that was not read to its end would be taken for the next request of the connection. */
function closing(request: HttpRequest, response: HttpResponse): HttpResponse {
  if (request._nodeRequest.readableEnded) return response;
  request._nodeRequest.resume();
  response.headers['connection'] = 'close';
  return response;
}
