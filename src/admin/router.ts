import { describeError, PrerenderError } from '../errors.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../harper/http.ts';
import type { Logger } from '../harper/logger.ts';
import { readBody } from '../harper/request-body.ts';
import { requireSameOrigin } from '../harper/same-origin.ts';
import { requireSuperUser } from './authorise.ts';

export const ADMIN_PREFIX = '/prerender_admin';
const MAX_BODY_BYTES = 65_536;

/** What a route gets: the query, the checked JSON body of an action (`{}` for a read), and who asks. */
export interface AdminCall {
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly who: string;
}

/** One route of the admin API. Its answer is sent as JSON. Work per call is bounded. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST';
  /** Below /prerender_admin, e.g. `/queue/pause`. */
  readonly path: string;
  handle(call: AdminCall): unknown;
}

/** The /prerender_admin API: an ordinary `server.http` handler, for super users only. */
export function createAdminHandler(routes: readonly AdminRoute[], logger: Logger): HttpHandler {
  return async (request, next) => {
    if (request.pathname !== ADMIN_PREFIX && !request.pathname.startsWith(`${ADMIN_PREFIX}/`)) return next(request);
    try {
      return json(200, await dispatch(routes, request));
    } catch (error) {
      return errorResponse(error, logger);
    }
  };
}

async function dispatch(routes: readonly AdminRoute[], request: HttpRequest): Promise<unknown> {
  const who = requireSuperUser(request);
  const path = request.pathname.slice(ADMIN_PREFIX.length) || '/';
  const here = routes.filter((route) => route.path === path);
  if (here.length === 0) throw new PrerenderError('NOT_FOUND', { path: request.pathname });
  const route = here.find(({ method }) => method === (request.method === 'HEAD' ? 'GET' : request.method));
  if (!route) {
    const allowed = here.map(({ method }) => method).join(', ');
    throw new PrerenderError('METHOD_NOT_ALLOWED', { method: request.method, allowed });
  }
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  if (route.method === 'GET') return route.handle({ query, body: {}, who });
  requireSameOrigin(request);
  return route.handle({ query, body: await readJsonObject(request), who });
}

async function readJsonObject(request: HttpRequest): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new PrerenderError('BODY_INVALID', { reason: 'Content-Type has to be application/json' });
  }
  const text = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PrerenderError('BODY_INVALID', { reason: `it is not JSON: ${describeError(error)}` }, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PrerenderError('BODY_INVALID', { reason: 'it has to be a JSON object' });
  }
  return value as Record<string, unknown>;
}

function json(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(body ?? {}),
  };
}

function errorResponse(error: unknown, logger: Logger): HttpResponse {
  if (!(error instanceof PrerenderError)) {
    logger.error(`An admin call failed: ${describeError(error)}`);
    return json(500, { error: { code: 'INTERNAL', message: 'The call failed; the log of this node says why' } });
  }
  const response = json(error.status, { error: { code: error.code, message: error.message } });
  if (error.code === 'AUTHENTICATION_REQUIRED') response.headers['www-authenticate'] = 'Basic realm="prerender_admin"';
  if (error.code === 'METHOD_NOT_ALLOWED') response.headers['allow'] = String(error.details['allowed']);
  if (error.code === 'BODY_TOO_LARGE') response.headers['connection'] = 'close';
  return response;
}
