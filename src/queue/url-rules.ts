import type { CanonicalRelation } from '../url/canonical-comparison.ts';
import type { CompiledRoute } from '../url/routes.ts';

/** What the queue asks about URLs; built from the configuration in force. */
export interface UrlRules {
  /** The route of a canonical URL; undefined: unclassified. */
  routeOf(url: string): CompiledRoute | undefined;
  /** How the canonical that a page declares relates to the URL of its key. */
  canonicalRelation(declared: string, url: string): CanonicalRelation;
  /** Whether a rule of the page's route calls it a soft 404. */
  isSoft404(url: string, html: Buffer): boolean;
  /**
   * Where a redirect of `url` leads: a canonical URL that may become a Target, `self` when it has the same key, or `refused` (a
   * host that is not served, a route that is not rendered, a URL that discovery would not take).
   */
  acceptDestination(url: string, location: string): { readonly url: string } | 'self' | 'refused';
  /** Epoch ms of the newest invalidation that covers the URL; 0: none. */
  invalidatedAt(url: string): number;
}

/** Name of the URL's route, for metrics. */
export function routeName(rules: UrlRules, url: string): string {
  return rules.routeOf(url)?.name ?? 'unclassified';
}

/** `host[:port]` of a canonical URL. */
export function hostOf(url: string): string {
  const start = url.indexOf('://') + 3;
  const end = url.indexOf('/', start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
