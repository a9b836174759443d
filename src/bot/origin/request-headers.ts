import type { Config } from '../../config/schema.ts';
import type { RequestHeaders } from '../../harper/http.ts';
import { connectionNames } from './connection-headers.ts';

/** What decides about the headers of one request to the origin. */
export interface HeaderContext {
  readonly method: string;
  /** Public host, with its port when it is not the scheme's. */
  readonly host: string;
  readonly scheme: string;
  /** The upstream is asked by another scheme than the public one. */
  readonly otherScheme: boolean;
  /** The operator names the host, so it may be told the bypass token. */
  readonly trusted: boolean;
  readonly deviceType: string;
  /** A page that is rendered, or one that only passes through. */
  readonly prerender: boolean;
}

const CONTENT_HEADERS = ['accept', 'accept-language'] as const;
/** Of a page that only passes through: the origin's own validators and ranges work there. */
const PASSTHROUGH_HEADERS = ['if-none-match', 'if-modified-since', 'if-range', 'range'] as const;
const BODY_HEADERS = ['content-type', 'content-encoding'] as const;
const VALUE_LIMIT = 2_048;
/** Codings that an origin may be asked for, in the order they are written. */
const CODINGS = ['br', 'gzip', 'zstd', 'deflate'] as const;

/**
 * The headers the origin is sent: an allow-list. Never a cookie, an authorization, a forwarded or hop-by-hop header, nor
 * conditionals on a page that is rendered; the user agent is the device's, never the crawler's.
 */
export function originRequestHeaders(
  headers: RequestHeaders,
  { origin }: Pick<Config, 'origin'>,
  context: HeaderContext,
): Record<string, string> {
  const sent: Record<string, string> = { host: context.host, 'user-agent': userAgentOf(origin, context.deviceType) };
  const dropped = connectionNames(headers.get('connection'));
  const copy = (names: readonly string[]): void => {
    for (const name of names) {
      const value = headers.get(name);
      if (value && value.length <= VALUE_LIMIT && !dropped.has(name)) sent[name] = value;
    }
  };
  const reads = context.method === 'GET' || context.method === 'HEAD';
  copy(CONTENT_HEADERS);
  if (!reads) copy(BODY_HEADERS);
  else if (!context.prerender) copy(PASSTHROUGH_HEADERS);
  // A range is one of the encoded bytes, which only the encoding that was asked for before has.
  sent['accept-encoding'] = acceptedCodings(headers.get('accept-encoding'));
  const loop = headers.get('cdn-loop');
  sent['cdn-loop'] = loop ? `${loop}, ${origin.cdnLoopName}` : origin.cdnLoopName;
  if (context.otherScheme) sent['x-forwarded-proto'] = context.scheme;
  if (origin.bypassToken !== '' && context.trusted) sent[origin.bypassHeader] = origin.bypassToken;
  return sent;
}

/**
 * The codings of an Accept-Encoding header that are known here, in one order and without weights, so that few different
 * requests reach the origin. A client that names none gets the plain bytes.
 */
export function acceptedCodings(header: string | null | undefined): string {
  if (!header) return 'identity';
  const known = SEEN_CODINGS.get(header);
  if (known !== undefined) return known;
  const refused = new Set<string>();
  const accepted = new Set<string>();
  for (const part of header.slice(0, VALUE_LIMIT).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const isRefused = parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
    (isRefused ? refused : accepted).add(name === 'x-gzip' ? 'gzip' : name);
  }
  const chosen = CODINGS.filter((coding) => accepted.has(coding) && !refused.has(coding));
  return chosen.length === 0 ? 'identity' : chosen.join(', ');
}

/** The spellings of nearly all clients. */
const SEEN_CODINGS: ReadonlyMap<string, string> = new Map([
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip, deflate'],
  ['gzip, br', 'br, gzip'],
  ['gzip, deflate, br', 'br, gzip, deflate'],
  ['gzip, deflate, br, zstd', 'br, gzip, zstd, deflate'],
]);

function userAgentOf(origin: Config['origin'], deviceType: string): string {
  return origin.userAgents[deviceType] ?? Object.values(origin.userAgents)[0] ?? FALLBACK_USER_AGENT;
}

const FALLBACK_USER_AGENT = 'Mozilla/5.0 (compatible; HarperPrerender/0.1)';
