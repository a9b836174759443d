import { choice, count, duration, flag, objectList, text, textList, type FieldDescriptor } from '../descriptor.ts';

/** Hosts served. A group of its own at the root, since everything else depends on it. */
export const domainsOption = textList(
  [],
  "Hosts this service answers for, matched exactly, with the port when it is not the scheme's. `['*']` means any host: an open proxy. An empty list refuses every request.",
  {
    security: true,
    itemPattern: '^(\\*|[^\\s/*@?#]+)$',
    itemMeaning: 'a host such as www.shop.example, host:port, or * alone',
  },
);

export const cacheKeyOptions = {
  decodeReserved: text(':,@', 'Reserved characters whose escapes are decoded in a canonical URL.', {
    rekeys: true,
    maxLength: 16,
    pattern: "^[:,@!$'()*]*$",
    patternMeaning: "any of : , @ ! $ ' ( ) * (never % & = + # / ? | ; or space)",
  }),
  plusIsSpace: flag(false, 'Fold `%20` to `+` in the query: for shops where the two are the same.', { rekeys: true }),
  trailingSlash: choice(
    ['preserve', 'strip'],
    'preserve',
    'Whether trailing slashes of a path are kept. Stripping asks for a form that the origin may redirect or refuse.',
    { rekeys: true },
  ),
} as const;

export interface BotEntry {
  readonly name: string;
  readonly match: string;
}

const botFields: Readonly<Record<keyof BotEntry, FieldDescriptor>> = {
  name: { ...text('', 'Name under which the crawler is counted and listed.', { maxLength: 40 }), required: true },
  match: {
    ...text('', 'Text that its user agent contains as whole tokens, in any case.', { maxLength: 100 }),
    required: true,
  },
};

export const analyticsOptions = {
  bots: objectList<BotEntry>(
    botFields,
    'Crawlers known by name, beside the built-in registry; the longest match wins.',
  ),
  maxDerivedBots: count(
    64,
    { min: 0, max: 10_000 },
    'Different names taken from user agents (not registered, not listed) that metrics tell apart, per day; the rest is `derived-other`.',
  ),
  coverageInterval: duration(
    300_000,
    { min: 10_000, max: 86_400_000 },
    'How often the share of listed Targets that have a page is measured on a sample.',
  ),
} as const;

export const discoveryOptions = {
  respectNoStore: flag(
    false,
    'Whether an origin answer marked `private` or `no-store` adds no Target. Off, since many shops send it on every page.',
  ),
} as const;
