import { Readable } from 'node:stream';
import type { HttpResponse, ResponseHeaders } from '../harper/http.ts';
import type { TargetReader } from '../target/target.ts';
import { isPrerendered, type BotRequest } from './bot-request.ts';
import { mergeVary, setCacheHeaders, varyOfPages } from './cache-headers.ts';
import { headerText } from './origin/response-headers.ts';
import type { FlightAnswer } from './origin/single-flight.ts';
import { addVerdictHeaders } from './verdict-headers.ts';

/** The origin's validators and lifetimes of a page that is rendered: they would mix with those of the rendered page. */
const ORIGIN_ONLY = ['etag', 'last-modified', 'expires', 'surrogate-control', 'accept-ranges'] as const;

/** Relays an answer of the origin, its body undecoded and as a stream unless it has all come already. */
export function deliverOrigin(targets: TargetReader, request: BotRequest, answer: FlightAnswer): HttpResponse {
  const headers: ResponseHeaders = { ...answer.headers };
  if (isPrerendered(request) && isRead(request.http.method)) markAsPage(headers, targets, request);
  return withBody(request, answer, headers);
}

function markAsPage(headers: ResponseHeaders, targets: TargetReader, request: BotRequest): void {
  for (const name of ORIGIN_ONLY) delete headers[name];
  setCacheHeaders(headers, request.config);
  headers['vary'] = mergeVary(headerText(headers, 'vary'), varyOfPages(request.config));
  addVerdictHeaders(headers, targets.find(request.target.url));
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
  // The length that was sent counts, and Harper sets it.
  if ('shared' in body) return { status, headers: withoutLength(headers), body: body.shared };
  const complete = body.exchange.takeBuffer();
  if (complete !== undefined) return { status, headers: withoutLength(headers), body: complete };
  const response = request.http._nodeResponse;
  if (response.destroyed) {
    body.exchange.release();
    return { status, headers };
  }
  return { status, headers, body: body.exchange.takeStream(() => response.destroy()) };
}

function withoutLength(headers: ResponseHeaders): ResponseHeaders {
  delete headers['content-length'];
  return headers;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
