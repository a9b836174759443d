import type { EscapeRewriter } from './escapes.ts';

/** In an allowlist: keep every parameter. */
export const ANY_PARAMETER = '*';

/**
 * Cuts the parameters that the allowlist does not keep out of a raw query (without its `?`) and leaves every other byte and
 * the order as they are: this is what the origin is asked on a miss. `['*']` keeps all, `[]` none.
 */
export function filterRawQuery(rawQuery: string, queryParams: readonly string[]): string {
  if (rawQuery === '' || queryParams.includes(ANY_PARAMETER)) return rawQuery;
  if (queryParams.length === 0) return '';
  const segments = rawQuery.split('&');
  const kept = segments.filter((segment) => segment === '' || isKept(segment, queryParams));
  return kept.some((segment) => segment !== '') ? kept.join('&') : '';
}

/** The query of the canonical URL, without its `?`: filtered, empty segments dropped, stably sorted by name. */
export function canonicalQuery(rawQuery: string, queryParams: readonly string[], rewrite: EscapeRewriter): string {
  if (rawQuery === '' || queryParams.length === 0) return '';
  const query = rewrite(rawQuery);
  const keepsAll = queryParams.includes(ANY_PARAMETER);
  if (!query.includes('&')) return keepsAll || isKept(query, queryParams) ? query : '';
  const segments = query.split('&').filter((segment) => segment !== '' && (keepsAll || isKept(segment, queryParams)));
  return (segments.length > 1 ? sortByName(segments) : segments).join('&');
}

/** Whether the allowlist names the key of a `key=value` segment, whatever way the key is escaped. */
function isKept(segment: string, queryParams: readonly string[]): boolean {
  const key = nameOf(segment);
  if (queryParams.includes(key)) return true;
  if (key.includes('%') && queryParams.includes(decodeKey(key))) return true;
  return key.includes('+') && queryParams.includes(decodeKey(key.replaceAll('+', ' ')));
}

function nameOf(segment: string): string {
  const end = segment.indexOf('=');
  return end === -1 ? segment : segment.slice(0, end);
}

/** A key with bytes that are not UTF-8, or with a stray `%`, is decoded as far as it can be. */
function decodeKey(key: string): string {
  return key.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.toUpperCase();
    }
  });
}

/** By UTF-16 code units of the name; segments of one name keep their order. */
function sortByName(segments: string[]): string[] {
  const named = segments.map((segment) => ({ name: nameOf(segment), segment }));
  if (named.every(({ name }, index) => index === 0 || (named[index - 1]?.name ?? '') <= name)) return segments;
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return named.map(({ segment }) => segment);
}
