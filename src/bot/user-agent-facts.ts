import type { Config } from '../config/schema.ts';
import { resolveDevice } from '../url/device.ts';
import type { BotNamer } from './identity/get-bot-name.ts';
import { createGenerationCache } from './identity/generation-cache.ts';
import { isOwnUserAgent } from './identity/own-user-agent.ts';
import { OWN_PRODUCT } from './own-loop.ts';

/** What a user agent says, remembered for those seen. */
export interface UserAgentFacts {
  readonly botName: string;
  /** It is this service's own: its render worker, or its origin fetch. */
  readonly own: boolean;
  /** Device type of a request that names none. */
  readonly device: string;
}

const CACHE_SIZE = 4_096;
/** Longer user agents are read anew each time, so that memory stays bounded. */
const CACHED_LENGTH = 512;

export function createUserAgentReader(
  namer: BotNamer,
  { render }: Pick<Config, 'render'>,
): (userAgent: string | undefined) => UserAgentFacts {
  const seen = createGenerationCache<UserAgentFacts>(CACHE_SIZE);
  const read = (userAgent: string): UserAgentFacts => ({
    botName: namer.getBotName(userAgent),
    own: isOwnUserAgent(userAgent, OWN_PRODUCT),
    device: resolveDevice({ userAgent }, render.devices),
  });
  return (userAgent = '') => {
    if (userAgent.length > CACHED_LENGTH) return read(userAgent);
    const known = seen.get(userAgent);
    if (known !== undefined) return known;
    const facts = read(userAgent);
    seen.set(userAgent, facts);
    return facts;
  };
}
