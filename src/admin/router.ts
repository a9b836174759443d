import { PrerenderError } from '../errors.ts';
import type { HttpHandler, HttpRequest } from '../harper/http.ts';
import type { Logger } from '../harper/logger.ts';
import { requireSameOrigin } from '../harper/same-origin.ts';
import { errorResponse, json, readJsonObject } from './answers.ts';
import { requireSuperUser } from './authorise.ts';

export const ADMIN_PREFIX = '/prerender_admin';

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
