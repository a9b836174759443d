import type { PrerenderError } from '../errors.ts';
import type { HttpResponse, ResponseHeaders } from '../harper/http.ts';

/** Answers with an error of the closed list, as text; HEAD without it. */
export function deliverError(error: PrerenderError, method: string): HttpResponse {
  const text = `${error.code}: ${error.message}\n`;
  const headers: ResponseHeaders = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  // What was not read of the request's body would be taken for the next request.
  if (error.code === 'BODY_TOO_LARGE' || error.code === 'BODY_INVALID') headers['connection'] = 'close';
  if (error.code === 'METHOD_NOT_ALLOWED') headers['allow'] = String(error.details['allowed']);
  if (method !== 'HEAD') return { status: error.status, headers, body: text };
  headers['content-length'] = String(Buffer.byteLength(text));
  return { status: error.status, headers };
}
