import type { CanonicalizerOptions } from './canonicalize-url.ts';
import { createPartsReader, joinParts } from './canonicalize-url.ts';
import { compileEscapes } from './escapes.ts';
import { ANY_PARAMETER, canonicalQuery } from './query-filter.ts';
import type { CompiledRoute, RouteTable } from './routes.ts';

/** A URL with its place: the canonical form by the allowlist of its own route. */
export interface LocatedUrl {
  readonly ok: true;
  readonly url: string;
  /** `scheme://host[:port]`, canonical. */
  readonly origin: string;
  /** `host[:port]`, normalised: what `domains` is asked for. */
  readonly host: string;
  readonly path: string;
  /** Undefined: unclassified; `url` then keeps every parameter. */
  readonly route: CompiledRoute | undefined;
}

/** Finds the route and canonical form of a URL in one pass. Never throws. */
export type UrlLocator = (url: string) => LocatedUrl | { ok: false; reason: string };

/** Compiles options and routes; a located URL equals what `createCanonicalizer` gives with the route's `queryParams`. */
export function createUrlLocator(options: CanonicalizerOptions, table: RouteTable): UrlLocator {
  const read = createPartsReader(options);
  const { query: rewriteQuery } = compileEscapes(options.decodeReserved, options.plusIsSpace);
  return (url) => {
    const parts = read(url);
    if (!parts.ok) return parts;
    const { origin, host, path, rawQuery } = parts;
    const route = table.match(path);
    const query = canonicalQuery(rawQuery, route?.queryParams ?? [ANY_PARAMETER], rewriteQuery);
    return { ok: true, url: joinParts(origin, path, query), origin, host, path, route };
  };
}
