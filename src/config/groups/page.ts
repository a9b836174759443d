import { bytes, count, duration, text } from '../descriptor.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const HEADER_VALUE = { pattern: '^[\\x20-\\x7e]*$', patternMeaning: 'printable ASCII on one line' };

/** How stored pages are served and how long they are good. */
export const pageOptions = {
  swrTtl: duration(
    DAY,
    { min: 0, max: 90 * DAY },
    'How long after it expired a page is still served (`swr`) while its render is due. After that a request is answered by the origin (`stale`).',
  ),
  staleIfErrorTtl: duration(
    7 * DAY,
    { min: 0, max: 365 * DAY },
    'How long after it expired a page beats an origin that is down (500, 502, 503, 504, no connection).',
  ),
  blobReadBudget: duration(
    500,
    { min: 10, max: 10_000 },
    'Longest wait for the body of a stored page; after that the origin answers (`blob-timeout`). The page is kept.',
  ),
  memoryBytes: bytes(
    67_108_864,
    { min: 0, max: 8_589_934_592 },
    'Bodies kept in memory, per thread. Each use is checked against the version of the stored row. 0: none.',
  ),
  maxBodyBytes: bytes(
    10_485_760,
    { min: 1_024, max: 104_857_600 },
    'Longest rendered body that is stored, uncompressed.',
  ),
  maxFailures: count(
    6,
    { min: 1, max: 1_000 },
    'Failed renders in a row after which a page is evicted, when it is also past `page.staleIfErrorTtl`.',
  ),
  cacheControl: text('private, no-cache', 'Cache-Control of a rendered page: it must not be handed to people.', {
    maxLength: 500,
    ...HEADER_VALUE,
  }),
  cdnCacheControl: text('no-store', 'CDN-Cache-Control (RFC 9213) of a rendered page. Empty: the header is not sent.', {
    maxLength: 500,
    ...HEADER_VALUE,
  }),
  redirectTtl: duration(
    HOUR,
    { min: 0, max: 30 * DAY },
    'How long a stored answer that is not a 200 (a page that asks for a 404, say) is replayed.',
  ),
} as const;
