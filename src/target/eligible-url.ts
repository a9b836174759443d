import type { Config, ConfigSource } from '../config/schema.ts';
import { createHostAllowList } from '../url/host.ts';
import { createUrlLocator } from '../url/locate-url.ts';
import { isStorableKey } from '../url/cache-key.ts';
import { compileRoutes } from '../url/routes.ts';

/** The canonical form of a URL that may be a Target, or in words why it may not. */
export type EligibleUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly reason: string };

/** Judges URLs that an operator names: a served host, a route that is rendered, a key that can be stored. */
export function createEligibleUrl(config: ConfigSource): (url: string) => EligibleUrl {
  let rules = compile(config.current());
  config.onChange((next) => {
    rules = compile(next);
  });
  return (url) => {
    const located = rules.locate(url);
    if (!located.ok) return located;
    if (!rules.hosts.allows(located.host))
      return { ok: false, reason: `the host ${located.host} is not in \`domains\`` };
    if (located.route === undefined)
      return { ok: false, reason: `no route of \`ingress.routes\` matches ${located.path}` };
    if (located.route.mode !== 'prerender') {
      return { ok: false, reason: `the route ${located.route.name} is passed through, not rendered` };
    }
    if (!isStorableKey(located.url)) return { ok: false, reason: 'it is too long for a key' };
    return { ok: true, url: located.url };
  };
}

function compile({ cacheKey, ingress, domains }: Config) {
  return {
    locate: createUrlLocator(cacheKey, compileRoutes(ingress.routes, cacheKey.decodeReserved)),
    hosts: createHostAllowList(domains),
  };
}
