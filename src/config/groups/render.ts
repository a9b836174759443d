import { bytes, count, duration, factor, flag, share, text, textList } from '../descriptor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** When pages are rendered, what a job is, and what becomes of a result. */
export const renderOptions = {
  interval: duration(
    DAY,
    { min: MINUTE, max: 365 * DAY },
    'Time between two renders of a page whose route or Target says nothing else.',
  ),
  firstRenderWithin: duration(
    HOUR,
    { min: 0, max: 30 * DAY },
    'A new Target that a crawler asked for is first rendered within this time, at a moment that its URL decides, so that many new ones never come at once. Never later than its interval.',
  ),
  devices: textList(['desktop', 'mobile'], 'Device types that are rendered and served; the first is the fallback.', {
    rekeys: true,
    minItems: 1,
    itemPattern: '^[a-z][a-z0-9-]{0,31}$',
    itemMeaning: 'lower-case letters, digits and hyphens',
  }),
  leaseTime: duration(
    2 * MINUTE,
    { min: 5_000, max: HOUR },
    'How long a worker has for a job. After that it is granted again.',
  ),
  maxClaim: count(100, { min: 1, max: 1_000 }, 'Most jobs that one claim is granted.'),
  renderBudget: duration(30_000, { min: 1_000, max: 10 * MINUTE }, 'How long the worker may take for one page.'),
  callbackOrigin: text(
    '',
    'Host (and port) to which workers post results. Empty: the hostname and HTTP port of this node.',
    { pattern: '^(\\[[0-9a-fA-F:]+\\]|[A-Za-z0-9.-]+)?(:\\d{1,5})?$', patternMeaning: '`host` or `host:port`' },
  ),
  minBodyShare: share(
    0.3,
    "A render with less than this share of the bytes of the page's last one is tried again before it is believed. 0: always believed.",
  ),
  sitemapBoost: factor(
    2,
    { min: 1, max: 100 },
    'How much more the lateness of a sitemap-listed page weighs in the claim order.',
  ),
  maxResultBytes: bytes(16_777_216, { min: 65_536, max: 268_435_456 }, 'Most bytes of one job result, as sent.'),
  queueWindow: count(
    5_000,
    { min: 100, max: 100_000 },
    'Oldest-due rows that are kept in memory to order claims by; the order is exact inside this window.',
  ),
  suppression: {
    recheckInterval: duration(
      7 * DAY,
      { min: HOUR, max: 365 * DAY },
      'When a page that was found not to be indexable is looked at again.',
    ),
    maxStrikes: count(4, { min: 1, max: 100 }, 'Verdicts in a row after which an unlisted Target is deleted.'),
    goneStrikes: count(
      2,
      { min: 1, max: 100 },
      'Answers of 404 or 410 in a row after which a sitemap-listed Target is deleted.',
    ),
    goneRecheckInterval: duration(
      14 * DAY,
      { min: HOUR, max: 365 * DAY },
      'When a sitemap-listed page that was gone (404, 410) is looked at again.',
    ),
    massShare: share(
      0.5,
      "Share of a route's recent results that may be verdicts; above it, and at twice the usual share, suppressions are held until an operator decides.",
    ),
    massWindow: count(50, { min: 10, max: 10_000 }, "A route's recent results that the share is taken over."),
  },
  backoff: {
    initial: duration(
      MINUTE,
      { min: 1_000, max: DAY },
      'Wait after the first failed render; doubled for each further one.',
    ),
    max: duration(
      6 * HOUR,
      { min: MINUTE, max: 30 * DAY },
      'Longest wait after failed renders. Never longer than the interval.',
    ),
    expiredLeases: count(
      3,
      { min: 1, max: 100 },
      'Leases of a URL that may end without a result before it counts as a job that kills its worker and is backed off.',
    ),
  },
  breaker: {
    failures: count(
      10,
      { min: 2, max: 10_000 },
      'Answers of 401 or 403 from one host, within the window, that open its breaker.',
    ),
    window: duration(MINUTE, { min: 1_000, max: DAY }, 'Time over which those are counted.'),
    pause: duration(
      5 * MINUTE,
      { min: 1_000, max: DAY },
      "How long an open breaker holds the host's jobs before one is tried.",
    ),
  },
  repair: {
    interval: duration(
      5 * MINUTE,
      { min: 1_000, max: DAY },
      'How often a node looks for missing rows of the URLs it owns.',
    ),
    batch: count(500, { min: 10, max: 10_000 }, 'Rows looked at in one step of the repair; it pauses between steps.'),
    orphanTtl: duration(
      DAY,
      { min: MINUTE, max: 30 * DAY },
      'How long a schedule row whose Target is missing is deferred before it is dropped.',
    ),
  },
  acceptResults: flag(true, 'Whether job results are taken. Off: they are answered with 503 and sent again later.'),
} as const;
