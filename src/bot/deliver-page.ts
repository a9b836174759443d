import { Readable } from 'node:stream';
import type { Config } from '../config/schema.ts';
import type { HttpResponse, ResponseHeaders } from '../harper/http.ts';
import type { PageBody } from '../page/bodies.ts';
import { isNotModified } from '../page/conditional.ts';
import { pageEtag, pageEtags } from '../page/etag.ts';
import { setCacheHeaders, varyOfPages } from './cache-headers.ts';
import type { BotRequest } from './bot-request.ts';
import type { ServedPage } from './resource.ts';

/** An answer whose headers are not to be changed: other answers share them. */
export type SharedResponse = Omit<HttpResponse, 'headers'> & { readonly headers: Readonly<ResponseHeaders> };

/** Builds answers from stored pages. */
export type PageDelivery = (request: BotRequest, page: ServedPage) => SharedResponse;

interface Prepared {
  readonly version: number;
  readonly config: Config;
  /** Seconds that the headers say in `age`. */
  readonly age: number;
  readonly headers: Readonly<ResponseHeaders>;
}

/** Headers of a page are put together once per encoding, version of its row, configuration and second of its age. */
export function createPageDelivery(): PageDelivery {
  const prepared = new WeakMap<PageBody, Prepared>();
  const headersOf = (request: BotRequest, page: ServedPage): Readonly<ResponseHeaders> => {
    const { config } = request;
    const age = Math.max(0, Math.floor((request.receivedAt - page.row.fetchedAt) / 1000));
    const known = prepared.get(page.body);
    const isCurrent = known?.version === page.version && known.config === config;
    if (isCurrent && known.age === age) return known.headers;
    const headers: ResponseHeaders = isCurrent ? { ...known.headers } : prepareHeaders(request, page);
    headers['age'] = String(age);
    prepared.set(page.body, { version: page.version, config, age, headers });
    return headers;
  };
  return (request, page) => {
    const { row, body } = page;
    const headers = headersOf(request, page);
    if (row.statusCode === 200 && isUnchanged(request, page)) return notModified(headers);
    if (request.http.method !== 'HEAD') return { status: row.statusCode, headers, body: body.bytes };
    return { status: row.statusCode, headers: { ...headers, 'content-length': String(body.bytes.length) } };
  };
}

function prepareHeaders({ config, deviceType }: BotRequest, { row, body }: ServedPage): ResponseHeaders {
  const headers: ResponseHeaders = { 'content-type': 'text/html; charset=utf-8', ...row.headers };
  if (body.encoding !== 'identity') headers['content-encoding'] = body.encoding;
  if (row.statusCode === 200) {
    headers['etag'] = pageEtag(row.bodyHash, deviceType, body.encoding);
    headers['last-modified'] = new Date(Number(row.lastModified)).toUTCString();
  }
  headers['vary'] = varyOfPages(config);
  setCacheHeaders(headers, config);
  return headers;
}

function isUnchanged({ http, deviceType }: BotRequest, { row }: ServedPage): boolean {
  const ifNoneMatch = http.headers.get('if-none-match');
  const ifModifiedSince = http.headers.get('if-modified-since');
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false;
  const etags = pageEtags(row.bodyHash, deviceType);
  return isNotModified({ ifNoneMatch, ifModifiedSince }, { etags, lastModified: Number(row.lastModified) });
}

/** The same validators, cache headers and Vary as the 200, without what describes its body. */
function notModified(page: Readonly<ResponseHeaders>): SharedResponse {
  const headers = { ...page };
  delete headers['content-type'];
  delete headers['content-encoding'];
  // An empty stream, since Harper gives an answer without a body a Content-Length of 0, which would be the page's.
  return { status: 304, headers, body: Readable.from([]) };
}
