import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rule } from './commands.ts';
import { encode } from './encodings.ts';

/** What the shop is about to answer. Header names are lower case. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A successful answer of that content type. */
export function ok(type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) };
}

/** A small HTML document without script that says what the status means. */
export function statusPage(status: number, text: string): Answer {
  const html = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${status} ${text}</title></head><body><h1>${text}</h1></body></html>\n`;
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: Buffer.from(html),
  };
}

/** Adds validators: an ETag from the body, and Last-Modified when the time of the last change is given (ms). */
export function withValidators(answer: Answer, modifiedAt?: number): Answer {
  answer.headers['etag'] = `"${createHash('sha256').update(answer.body).digest('base64url').slice(0, 16)}"`;
  if (modifiedAt !== undefined) answer.headers['last-modified'] = new Date(modifiedAt).toUTCString();
  return answer;
}

/** Changes an answer as a rule says: status, redirect, headers, body, encodings. */
export function applyRule(answer: Answer, rule: Rule): Answer {
  const status = rule.status ?? (rule.location === undefined ? answer.status : 301);
  const replaced =
    status >= 300 && status !== answer.status ? statusPage(status, rule.location ? 'Moved' : reason(status)) : answer;
  const changed: Answer = { ...replaced, status, headers: { ...replaced.headers } };
  if (rule.location !== undefined) changed.headers['location'] = rule.location;
  if (rule.body !== undefined) changed.body = Buffer.from(rule.body);
  for (const [name, value] of Object.entries(rule.headers ?? {})) {
    if (value === null) delete changed.headers[name.toLowerCase()];
    else changed.headers[name.toLowerCase()] = value;
  }
  if (rule.encodings !== undefined && rule.encodings.length > 0) {
    changed.body = encode(changed.body, rule.encodings);
    changed.headers['content-encoding'] ??= rule.encodings.join(', ');
  }
  return changed;
}

/**
 * Sends the answer: 304 without a body when the request's conditionals match its validators, no body for HEAD.
 * With `dropAfterBytes` the connection is cut after that much of the body.
 */
export function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  dropAfterBytes?: number,
): void {
  const { headers, body } = answer;
  if (answer.status === 200 && isNotModified(request, headers)) {
    const { 'content-type': _type, 'content-encoding': _encoding, 'content-length': _length, ...kept } = headers;
    response.writeHead(304, kept).end();
    return;
  }
  const bodyless = answer.status === 204 || answer.status === 304;
  const framed = bodyless || 'transfer-encoding' in headers;
  response.writeHead(answer.status, framed ? headers : { 'content-length': String(body.length), ...headers });
  if (bodyless || request.method === 'HEAD') response.end();
  else if (dropAfterBytes === undefined) response.end(body);
  else {
    response.flushHeaders();
    response.write(body.subarray(0, dropAfterBytes), () => response.destroy());
  }
}

function isNotModified(request: IncomingMessage, headers: Answer['headers']): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const { etag, 'last-modified': modified } = headers;
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (typeof etag !== 'string') return false;
    const tags = ifNoneMatch.split(',').map(weak);
    return tags.includes('*') || tags.includes(weak(etag));
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return typeof modified === 'string' && Date.parse(modified) <= since;
}

function weak(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

function reason(status: number): string {
  if (status === 403) return 'Access denied';
  if (status === 404) return 'Page not found';
  if (status === 410) return 'Gone';
  if (status === 429) return 'Too many requests';
  return status >= 500 ? 'Service unavailable' : 'Request refused';
}
