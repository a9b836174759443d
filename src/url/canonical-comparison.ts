import type { CanonicalizerOptions } from './canonicalize-url.ts';
import { createCanonicalizer, DEFAULT_CANONICALIZER_OPTIONS } from './canonicalize-url.ts';

/** `self`: the page names its own key; `elsewhere`: another URL; `unusable`: nothing that could be a canonical. */
export type CanonicalRelation = 'self' | 'elsewhere' | 'unusable';

/**
 * Relates the canonical that a page declares (relative to `keyUrl` where it is relative) to the URL of the page's key, both
 * canonicalised with the parameters that the route keeps. Never throws.
 */
export type CanonicalComparison = (
  declared: string,
  keyUrl: string,
  queryParams: readonly string[],
) => CanonicalRelation;

/**
 * Compiles the comparison. `+` and `%20` in the query are equal whatever `plusIsSpace` says, since shops declare either for
 * the same page; `%2B` is a value of its own.
 */
export function createCanonicalComparison(options: CanonicalizerOptions): CanonicalComparison {
  const canonicalize = createCanonicalizer({ ...options, plusIsSpace: true });
  return (declared, keyUrl, queryParams) => {
    const absolute = resolve(declared, keyUrl);
    if (absolute === undefined) return 'unusable';
    const declaredUrl = canonicalize(absolute, queryParams);
    const ownUrl = canonicalize(keyUrl, queryParams);
    if (!declaredUrl.ok || !ownUrl.ok) return 'unusable';
    return declaredUrl.url === ownUrl.url ? 'self' : 'elsewhere';
  };
}

/** One-off form of the comparison: whether the declared canonical is the URL of the key. */
export function sameCanonical(
  declared: string,
  keyUrl: string,
  queryParams: readonly string[],
  options: CanonicalizerOptions = DEFAULT_CANONICALIZER_OPTIONS,
): boolean {
  return createCanonicalComparison(options)(declared, keyUrl, queryParams) === 'self';
}

/** An empty `href` resolves to the page itself, but says nothing. */
function resolve(declared: string, keyUrl: string): string | undefined {
  if (declared.trim() === '') return undefined;
  try {
    return new URL(declared, keyUrl).href;
  } catch {
    return undefined;
  }
}
