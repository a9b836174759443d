/**
 * Every metric this product emits: a contract with dashboards. METRICS.md documents the same list and a test holds the
 * two together. `slots` name what Harper's analytics columns `path`, `method` and `type` carry.
 */
export interface MetricDescriptor {
  readonly name: string;
  /** `count`: one per event. `distribution`: a value per event. `gauge`: a state, sampled. */
  readonly kind: 'count' | 'distribution' | 'gauge';
  readonly unit: 'events' | 'ms' | 'bytes' | 'share' | 'rows';
  /** Meaning of up to three dimensions, in the order path, method, type. */
  readonly slots: readonly string[];
  readonly description: string;
  /** What to chart or alert on. */
  readonly watch: string;
}

const metric = (
  name: string,
  kind: MetricDescriptor['kind'],
  unit: MetricDescriptor['unit'],
  slots: readonly string[],
  description: string,
  watch: string,
) => ({ name, kind, unit, slots, description, watch }) as const satisfies MetricDescriptor;

export const METRICS = {
  botRequest: metric(
    'bot_request',
    'count',
    'events',
    ['bot'],
    'Bot requests, by crawler, before anything is known about the page.',
    'Chart per crawler. A crawler that matters and falls to zero is blocked or renamed.',
  ),
  botServe: metric(
    'bot_serve',
    'count',
    'events',
    ['source', 'cacheStatus', 'bot'],
    'Bot requests answered, by where the body came from (cache, origin, none) and the cache status.',
    'Chart the share of source = cache. Alert when it drops against the same hour of the week.',
  ),
  routeServe: metric(
    'route_serve',
    'count',
    'events',
    ['route', 'cacheStatus', 'device'],
    'Bot requests answered, by route class.',
    'Chart hit share per route; `unclassified` that grows means a page type without a route.',
  ),
  botMiss: metric(
    'bot_miss',
    'count',
    'events',
    ['cause', 'bot'],
    'Why there was no page: new, unrendered, suppressed, gated-<reason>, gone, redirect, device, origin-error, not-a-page.',
    'Chart by cause. `unrendered` that stays high means the render fleet is behind.',
  ),
  pageAge: metric(
    'page_age',
    'distribution',
    'ms',
    ['cacheStatus', 'bot'],
    'Age of a page served from the cache, since its render read the origin.',
    'Chart p50 and p95.',
  ),
  routePageAge: metric(
    'route_page_age',
    'distribution',
    'ms',
    ['route', 'cacheStatus', 'device'],
    'The same by route class.',
    "Alert when a route's p95 is above twice its render interval.",
  ),
  originFetch: metric(
    'origin_fetch',
    'distribution',
    'ms',
    ['status', 'reason'],
    'Time until the origin answered with headers, by status class and why it was asked (miss, stale, bypass, skip, …).',
    'Chart the rate (what the origin is asked) and p95. Alert on status 5xx and `unreachable`.',
  ),
  originShared: metric(
    'origin_shared',
    'count',
    'events',
    ['route'],
    "Misses answered with another request's origin fetch.",
    'A spike means that one page is asked for by many at once.',
  ),
  discoveryMinted: metric(
    'discovery_minted',
    'count',
    'events',
    ['route', 'bot'],
    'Targets added because a crawler asked for a page that was not known.',
    'Chart per crawler: this is what grows the corpus.',
  ),
  render: metric(
    'render',
    'count',
    'events',
    ['outcome', 'reason', 'route'],
    'Job results taken, by outcome and reason. `ignored` and its reason count results that stored nothing.',
    'Chart by outcome. Alert when error rises above its usual share.',
  ),
  renderTime: metric(
    'render_time',
    'distribution',
    'ms',
    ['outcome', 'device'],
    'Time the worker took for a page.',
    'Chart p50 and p95: with the claim rate it sizes the fleet.',
  ),
  changeLag: metric(
    'change_lag',
    'distribution',
    'ms',
    ['route'],
    'From the moment a change was seen at the origin to the moment its render was stored.',
    'Chart p95: how long crawlers may read an old price.',
  ),
  suppression: metric(
    'suppression',
    'count',
    'events',
    ['event', 'reason', 'route'],
    'Targets suppressed, held (mass-verdict guard), lifted, deleted, by reason.',
    'Alert on event = held: a whole route looks wrong at once.',
  ),
  coverage: metric(
    'coverage',
    'gauge',
    'share',
    [],
    'Share of sitemap-listed Targets that have a page, on a sample.',
    'Chart. It rises to 1 after a launch; a fall means that pages are lost.',
  ),
  queueClaimed: metric(
    'queue_claimed',
    'count',
    'events',
    ['mark'],
    'Jobs granted to workers, by mark (none, changed, urgent).',
    'Chart against render: a gap is jobs that never report.',
  ),
  queueLag: metric(
    'queue_lag',
    'distribution',
    'ms',
    ['mark'],
    'How late a job was granted after it fell due.',
    'Alert when p95 is above the render interval: capacity does not suffice.',
  ),
  queueLeaseExpired: metric(
    'queue_lease_expired',
    'count',
    'events',
    ['consequence'],
    'Leases that ended without all results (again, backed-off).',
    'Alert above a few per mille of queue_claimed: workers die or jobs are too long.',
  ),
  queueBreaker: metric(
    'queue_breaker',
    'count',
    'events',
    ['event', 'host'],
    "A host's breaker opened or closed.",
    'Alert on opened: the origin refuses the render fleet.',
  ),
  queueRepair: metric(
    'queue_repair',
    'count',
    'events',
    ['event'],
    'Rows that the repair restored, deferred or dropped, and pages swept.',
    'Zero in steady state.',
  ),
} as const satisfies Record<string, MetricDescriptor>;

export type MetricKey = keyof typeof METRICS;
