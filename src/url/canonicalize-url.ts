import type { EscapeRewriters } from './escapes.ts';
import { compileEscapes } from './escapes.ts';
import { canonicalQuery } from './query-filter.ts';

/** The canonical URL, or why the input has none. */
export type CanonicalUrl = { ok: true; url: string } | { ok: false; reason: string };

/** `cacheKey` options: changing one re-keys cached pages. */
export interface CanonicalizerOptions {
  /** Reserved characters whose escapes are decoded (see DECODABLE_RESERVED). */
  readonly decodeReserved: string;
  /** Fold `%20` to `+` in the query. */
  readonly plusIsSpace: boolean;
  /** Trailing slashes of a non-root path: kept, or all stripped. */
  readonly trailingSlash: 'preserve' | 'strip';
}

/** The defaults of the configuration. */
export const DEFAULT_CANONICALIZER_OPTIONS: CanonicalizerOptions = {
  decodeReserved: ':,@',
  plusIsSpace: false,
  trailingSlash: 'preserve',
};

/**
 * Gives a URL its canonical form with the query parameters that `queryParams` names (`['*']` all, `[]` none). Never throws.
 * The result is a fixed point: canonicalising it again, or parsing it, gives the same text. It has no raw `|`.
 */
export type Canonicalizer = (url: string, queryParams: readonly string[]) => CanonicalUrl;

/** A URL taken apart: origin and path are canonical, the query is as the URL parser left it, since its allowlist hangs on the route. */
export type UrlParts =
  { ok: true; origin: string; host: string; path: string; rawQuery: string } | { ok: false; reason: string };

/** First half of canonicalising: all but the query. Never throws. */
export type PartsReader = (url: string) => UrlParts;

/** Compiles the options once; the function it returns is what bot, sitemap, queue, worker and probe share. */
export function createCanonicalizer(options: CanonicalizerOptions): Canonicalizer {
  const escapes = compileEscapes(options.decodeReserved, options.plusIsSpace);
  const read = partsReader(escapes, options);
  return (url, queryParams) => {
    const parts = read(url);
    if (!parts.ok) return parts;
    const query = canonicalQuery(parts.rawQuery, queryParams, escapes.query);
    return { ok: true, url: joinParts(parts.origin, parts.path, query) };
  };
}

/** The reader of the parts alone, for a caller that picks the allowlist by the path. */
export function createPartsReader(options: CanonicalizerOptions): PartsReader {
  return partsReader(compileEscapes(options.decodeReserved, options.plusIsSpace), options);
}

/** Puts canonical parts together; `query` is without its `?`. */
export function joinParts(origin: string, path: string, query: string): string {
  return query === '' ? origin + path : `${origin}${path}?${query}`;
}

/** One-off form of `createCanonicalizer`; on a hot path with options of your own, keep the compiled function instead. */
export function canonicalizeUrl(
  url: string,
  queryParams: readonly string[],
  options: CanonicalizerOptions = DEFAULT_CANONICALIZER_OPTIONS,
): CanonicalUrl {
  const canonicalize = options === DEFAULT_CANONICALIZER_OPTIONS ? canonicalizeByDefault : createCanonicalizer(options);
  return canonicalize(url, queryParams);
}

const canonicalizeByDefault = createCanonicalizer(DEFAULT_CANONICALIZER_OPTIONS);

/**
 * A URL whose origin the URL parser leaves as it is: lower-case host with a last label that no IPv4 number starts, no port, and
 * only characters in path and query that the parser does not escape. Such a URL needs no parse (dot segments are tested apart).
 */
const PLAIN_URL =
  /^(https?:\/\/((?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]*))(\/[!$-;=@-[\]_a-z|~]*)(?:\?([!$-&(-;=?-~]*))?(?:#|$)/;
const DOT_SEGMENT = /\/(?:\.|%2e)/i;
const PUNYCODE = 'xn--';

function partsReader(escapes: EscapeRewriters, options: CanonicalizerOptions): PartsReader {
  const strips = options.trailingSlash === 'strip';
  const finishPath = (path: string): string => {
    const rewritten = escapes.path(path);
    return strips && rewritten.endsWith('/') ? stripTrailingSlashes(rewritten) : rewritten;
  };
  return (url) => {
    const plain = PLAIN_URL.exec(url);
    if (plain !== null) {
      const [, origin = '', host = '', path = '', rawQuery = ''] = plain;
      if (!DOT_SEGMENT.test(path) && !host.includes(PUNYCODE)) {
        return { ok: true, origin, host, path: finishPath(path), rawQuery };
      }
    }
    const parsed = parse(url);
    return parsed.ok ? { ...parsed, path: finishPath(parsed.path) } : parsed;
  };
}

function parse(url: string): UrlParts {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return { ok: false, reason: 'it is not an absolute URL' };
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return { ok: false, reason: `its scheme is ${parsed.protocol.slice(0, 32)} and only http: and https: are served` };
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return { ok: false, reason: 'it carries a user name or password' };
  }
  const hostname = parsed.hostname.endsWith('.') ? parsed.hostname.slice(0, -1) : parsed.hostname;
  // Dropping more than one dot could turn a name into an address.
  if (hostname === '' || hostname.startsWith('.') || hostname.endsWith('.') || hostname.includes('..')) {
    return { ok: false, reason: 'its host has an empty label' };
  }
  const host = parsed.port === '' ? hostname : `${hostname}:${parsed.port}`;
  return {
    ok: true,
    origin: `${parsed.protocol}//${host}`,
    host,
    path: parsed.pathname,
    rawQuery: parsed.search.slice(1),
  };
}

function stripTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}
