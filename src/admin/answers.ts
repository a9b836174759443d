import { describeError, PrerenderError } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../harper/http.ts';
import type { Logger } from '../harper/logger.ts';
import { readBody } from '../harper/request-body.ts';

const MAX_BODY_BYTES = 65_536;

/**
 * The JSON object in the body of an action.
 * @throws PrerenderError BODY_INVALID, BODY_TOO_LARGE
 */
export async function readJsonObject(request: HttpRequest): Promise<Record<string, unknown>> {
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

/** An answer in JSON that no cache keeps. */
export function json(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(body ?? {}),
  };
}

/** The answer for what a call has thrown; what is not of the closed list is logged and not told. */
export function errorResponse(error: unknown, logger: Logger): HttpResponse {
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
