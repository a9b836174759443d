import type { Config, ConfigSource } from '../config/schema.ts';
import { cacheKey, isStorableKey } from '../url/cache-key.ts';
import { createCanonicalComparison } from '../url/canonical-comparison.ts';
import { createHostAllowList } from '../url/host.ts';
import { createUrlLocator } from '../url/locate-url.ts';
import { compileRoutes } from '../url/routes.ts';
import { isSoft404 } from '../url/soft-404.ts';
import { readSoft404Evidence } from './soft-404-evidence.ts';
import type { UrlRules } from './url-rules.ts';

/** What a configuration cannot say of a URL. */
export interface UrlRulesDeps {
  readonly config: ConfigSource;
  /** Whether discovery would take the URL (`discovery.validate`); default: any. */
  readonly isWellFormed?: (url: string) => boolean;
  /** Epoch ms of the newest invalidation that covers the URL; default: none. */
  readonly invalidatedAt?: (url: string) => number;
}

/** The rules of the configuration in force, compiled anew after each change. */
export function createUrlRules({ config, isWellFormed, invalidatedAt }: UrlRulesDeps): UrlRules {
  let compiled = compile(config.current());
  let compiledFrom = config.current();
  const rules = (): CompiledRules => {
    const current = config.current();
    if (current !== compiledFrom) {
      compiled = compile(current);
      compiledFrom = current;
    }
    return compiled;
  };
  const routeOf: UrlRules['routeOf'] = (url) => {
    const located = rules().locate(url);
    return located.ok ? located.route : undefined;
  };
  return {
    routeOf,
    canonicalRelation: (declared, url) => rules().compare(declared, url, routeOf(url)?.queryParams ?? ['*']),
    isSoft404: (url, html) => {
      // Rules that need a selector are the worker's to judge, which has the document.
      const textRules = (routeOf(url)?.soft404 ?? []).filter((rule) => rule.selector === undefined);
      return textRules.length > 0 && isSoft404(textRules, readSoft404Evidence(html));
    },
    acceptDestination: (url, location) => {
      const { locate, hosts, fitsKeys } = rules();
      const located = URL.canParse(location, url) ? locate(new URL(location, url).href) : { ok: false as const };
      if (!located.ok) return 'refused';
      if (located.url === url) return 'self';
      const isTaken = hosts.allows(located.host) && located.route?.mode === 'prerender' && fitsKeys(located.url);
      return isTaken && (isWellFormed?.(located.url) ?? true) ? { url: located.url } : 'refused';
    },
    invalidatedAt: invalidatedAt ?? (() => 0),
  };
}

type CompiledRules = ReturnType<typeof compile>;

function compile(config: Config) {
  const { cacheKey: keys, ingress, domains, render } = config;
  return {
    locate: createUrlLocator(keys, compileRoutes(ingress.routes, keys.decodeReserved)),
    compare: createCanonicalComparison(keys),
    hosts: createHostAllowList(domains),
    // A page's key is longer than its URL.
    fitsKeys: (url: string) => render.devices.every((device) => isStorableKey(cacheKey(url, device))),
  };
}
