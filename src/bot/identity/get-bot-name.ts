import { maskAddresses } from './address-mask.ts';
import { CRAWLERS } from './crawler-registry.ts';
import { deriveName } from './derive-name.ts';
import { createGenerationCache } from './generation-cache.ts';
import { createMatchFinder } from './match-index.ts';
import type { BotMatch } from './match-index.ts';

/** The name of everything that does not say who it is: browsers, empty and unreadable User-Agents. */
export const OTHER = 'other';

/** Only so many characters of a User-Agent are read; a longer one may match a list but gets no derived name. */
const READ_LIMIT = 1_000;
/** Longer User-Agents are named anew each time, so that the cache holds at most `cacheSize` × this many characters. */
const CACHED_LENGTH = 512;
const DEFAULT_CACHE_SIZE = 4_096;

/** What an operator may set (`analytics.bots`, `analytics.userAgentCache`). */
export interface BotNamerOptions {
  /** The operator's entries; on equal length they win over the registry's. */
  readonly bots: readonly BotMatch[];
  /** User-Agents remembered, at most 512 characters each. */
  readonly cacheSize?: number;
}

/** Names the callers of bot requests. */
export interface BotNamer {
  /**
   * The crawler's name, or `other`. Never throws; the same answer for the same string; configured and registry names as
   * they are written there, derived ones as {@link deriveName} bounds them.
   */
  getBotName(userAgent: string | undefined): string;
  /** Every name that is not derived: registry and configured. */
  readonly knownNames: ReadonlySet<string>;
}

interface KnownBot extends BotMatch {
  readonly weak?: boolean;
}

/** Breaks the tie of a short slice to the long string it was cut from, which would otherwise live as long as the name. */
function detached(name: string): string {
  return Buffer.from(name, 'latin1').toString('latin1');
}

/** Builds a namer over the built-in registry and the operator's entries. See docs/crawlers.md for the rules. */
export function createBotNamer(options: BotNamerOptions): BotNamer {
  const known: KnownBot[] = [...options.bots, ...CRAWLERS];
  const findKnown = createMatchFinder(known);
  const findAddress = createMatchFinder(known.filter(({ match }) => /[./@]/.test(match)));
  const cache = createGenerationCache<string>(options.cacheSize ?? DEFAULT_CACHE_SIZE);

  const nameOf = (userAgent: string): string => {
    const head = userAgent.length > READ_LIMIT ? userAgent.slice(0, READ_LIMIT) : userAgent;
    const text = maskAddresses(head);
    let found = findKnown(text.toLowerCase());
    // An entry that is itself a host or address says that it wants to be found in one.
    if (found === undefined && text !== head) found = findAddress(head.toLowerCase());
    if (found !== undefined && found.weak !== true) return found.name;
    const derived = userAgent.length > READ_LIMIT ? undefined : deriveName(text);
    return derived === undefined ? (found?.name ?? OTHER) : detached(derived);
  };

  return {
    knownNames: new Set(known.map(({ name }) => name)),
    getBotName(userAgent) {
      if (userAgent === undefined || userAgent === '') return OTHER;
      if (userAgent.length > CACHED_LENGTH) return nameOf(userAgent);
      const seen = cache.get(userAgent);
      if (seen !== undefined) return seen;
      const name = nameOf(userAgent);
      cache.set(userAgent, name);
      return name;
    },
  };
}
