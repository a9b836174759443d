import { Readable } from 'node:stream';
import type { HttpResponse, ResponseHeaders } from '../harper/http.ts';
import type { Target } from '../target/target.ts';
import { isPrerendered, type BotRequest } from './bot-request.ts';
import { mergeVary, setCacheHeaders, varyOfPages } from './cache-headers.ts';
import { headerText } from './origin/response-headers.ts';
import type { FlightAnswer } from './origin/single-flight.ts';
import { addVerdictHeaders } from './verdict-headers.ts';

/** The origin's validators and lifetimes of a page that is rendered: they would mix with those of the rendered page. */
const ORIGIN_ONLY: ReadonlySet<string> = new Set([
  'accept-ranges',
  'etag',
  'expires',
  'last-modified',
  'surrogate-control',
]);

/**
 * Relays an answer of the origin, its body undecoded and as a stream unless it has all come already. `target` is that of the
 * request's URL.
 */
export function deliverOrigin(request: BotRequest, answer: FlightAnswer, target: Target | undefined): HttpResponse {
  const isPage = isPrerendered(request) && isRead(request.http.method);
  const headers = isPage ? headersOfPage(request, answer, target) : { ...answer.headers };
  return withBody(request, answer, headers);
}

function headersOfPage(request: BotRequest, answer: FlightAnswer, target: Target | undefined): ResponseHeaders {
  const headers: ResponseHeaders = {};
  for (const name in answer.headers) {
    const value = answer.headers[name];
    if (value !== undefined && !ORIGIN_ONLY.has(name)) headers[name] = value;
  }
  setCacheHeaders(headers, request.config);
  headers['vary'] = mergeVary(headerText(headers, 'vary'), varyOfPages(request.config));
  addVerdictHeaders(headers, target);
  return headers;
}

function withBody(request: BotRequest, { status, body }: FlightAnswer, headers: ResponseHeaders): HttpResponse {
  if (request.http.method === 'HEAD') {
    if ('exchange' in body) body.exchange.release();
    return { status, headers };
  }
  if (status === 204 || status === 304) {
    if ('exchange' in body) body.exchange.release();
    delete headers['content-length'];
    return { status, headers, body: Readable.from([]) };
  }
  // The length that is sent counts: Harper sets it anew for a buffer.
  if ('shared' in body) return { status, headers, body: body.shared };
  const complete = body.exchange.takeBuffer();
  if (complete !== undefined) return { status, headers, body: complete };
  const response = request.http._nodeResponse;
  if (response.destroyed) {
    body.exchange.release();
    return { status, headers };
  }
  return { status, headers, body: body.exchange.takeStream(() => response.destroy()) };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
