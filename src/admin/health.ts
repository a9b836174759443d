import type { HttpHandler } from '../harper/http.ts';

export const HEALTH_PATH = '/prerender_health';

/** Whether this node serves: `undefined` when it does, else the reason in words. */
export type Health = () => string | undefined;

/** `GET /prerender_health`: 200 when this node serves, 503 with the reason; no secrets, no authentication. */
export function createHealthHandler(health: Health): HttpHandler {
  return (request, next) => {
    if (request.pathname !== HEALTH_PATH) return next(request);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const body = JSON.stringify({ error: { code: 'METHOD_NOT_ALLOWED', message: 'Use GET or HEAD' } });
      return { status: 405, headers: { ...headers, allow: 'GET, HEAD' }, body };
    }
    const reason = health();
    const body = JSON.stringify(reason === undefined ? { status: 'ok' } : { status: 'unavailable', reason });
    return { status: reason === undefined ? 200 : 503, headers, body: request.method === 'HEAD' ? '' : body };
  };
}
