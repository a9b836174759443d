import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Locks } from '../harper/table.ts';
import type { TargetStore } from './store.ts';
import type { MintRequest, SchedulePort, SuppressionReason, Target, TargetMinter, TargetReader } from './target.ts';

/** The registry of URLs. Every change but `mint` is made by the node that owns the URL. */
export interface Targets extends TargetReader, TargetMinter {
  /** Takes the URL out of rotation and counts a strike. Resolves to the strikes it has now; 0: there is no such Target. */
  suppress(url: string, verdict: { reason: SuppressionReason; canonical: string | null }): Promise<number>;
  /** Counts a strike without taking the URL out of rotation. Resolves as `suppress` does. */
  strike(url: string): Promise<number>;
  /** Puts a suppressed or moved URL back into rotation, strikes cleared. Answers whether anything had to change. */
  lift(url: string): Promise<boolean>;
  /** After a page was stored: strikes cleared, back in rotation, first render noted. Writes only when something changes. */
  markRendered(url: string): Promise<{ lifted: SuppressionReason | null }>;
  /** Leaves the rotation for the URL that took its place. */
  markMoved(url: string, movedTo: string): Promise<boolean>;
  /** Sets the interval of the Target itself, in ms. Answers whether it exists. */
  setInterval(url: string, renderInterval: number): Promise<boolean>;
  /** Removes the Target alone; its pages and schedule are the queue's. */
  delete(url: string): Promise<boolean>;
  /** Pages of the registry in the order of URLs, for jobs that go through all of it. */
  page(after: string, limit: number): Promise<Target[]>;
  /** Suppressed Targets that are wanted, at most `limit`. */
  suppressed(limit: number, isWanted: (target: Target) => boolean): Promise<Target[]>;
  /** The estimated total, and the suppressed and moved ones counted up to `COUNT_LIMIT`. */
  counts(): Promise<{ total: number; suppressed: number; moved: number }>;
  /** Ms between two renders of the Target: rung, route, own, default; the first that is set. */
  intervalOf(target: Target): number;
}

/** Up to here suppressed and moved Targets are counted exactly. */
export const COUNT_LIMIT = 10_000;

const MINT_WAIT_MS = 2_000;

/** What the registry is built from. */
export interface TargetsDeps {
  readonly store: TargetStore;
  readonly schedule: SchedulePort;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly locks: Locks;
  /** Ms between renders that the URL's route sets; undefined: it sets none. */
  readonly routeInterval: (url: string) => number | undefined;
}

/** Builds the registry. */
export function createTargets(deps: TargetsDeps): Targets {
  const { store, clock } = deps;
  const strikesAfter = async (url: string, part: (target: Target) => Partial<Target>): Promise<number> => {
    const target = store.find(url);
    if (!target) return 0;
    const strikes = target.strikes + 1;
    await store.change(url, { strikes, ...part(target) });
    return strikes;
  };
  return {
    find: (url) => store.find(url),
    mint: async (request) => ((await mintAll(deps, [request])).length > 0 ? 'created' : 'exists'),
    mintAll: (requests) => mintAll(deps, requests),
    reopen: async (url) => {
      const target = store.find(url);
      if (target?.state !== 'suppressed' || target.suppressedReason !== 'http-gone') return false;
      await store.change(url, IN_ROTATION);
      await deps.schedule.fileDue(url, 'urgent');
      return true;
    },
    suppress: (url, verdict) =>
      strikesAfter(url, (target) => ({
        state: 'suppressed',
        suppressedReason: verdict.reason,
        suppressedCanonical: verdict.canonical,
        suppressedAt: target.state === 'suppressed' ? (target.suppressedAt ?? clock.now()) : clock.now(),
      })),
    strike: (url) => strikesAfter(url, () => ({})),
    lift: async (url) => {
      const target = store.find(url);
      if (!target || (target.state === null && target.strikes === 0)) return false;
      return store.change(url, IN_ROTATION);
    },
    markRendered: async (url) => {
      const target = store.find(url);
      if (!target) return { lifted: null };
      const lifted = target.state === 'suppressed' ? target.suppressedReason : null;
      const outOfRotation = target.state !== null || target.strikes > 0;
      const first = target.firstRenderedAt === null;
      if (outOfRotation || first) {
        await store.change(url, {
          ...(outOfRotation ? IN_ROTATION : {}),
          ...(first ? { firstRenderedAt: clock.now() } : {}),
        });
      }
      return { lifted };
    },
    markMoved: (url, movedTo) =>
      store.change(url, { state: 'moved', movedTo, suppressedReason: null, suppressedCanonical: null }),
    setInterval: (url, renderInterval) => store.change(url, { renderInterval }),
    delete: (url) => store.remove(url),
    page: (after, limit) => store.page(after, limit),
    suppressed: (limit, isWanted) => store.inState('suppressed', limit, isWanted),
    counts: async () => ({
      total: await store.count(),
      suppressed: (await store.inState('suppressed', COUNT_LIMIT)).length,
      moved: (await store.inState('moved', COUNT_LIMIT)).length,
    }),
    intervalOf: (target) => intervalOf(deps, target),
  };
}

const IN_ROTATION = {
  state: null,
  suppressedReason: null,
  suppressedCanonical: null,
  suppressedAt: null,
  movedTo: null,
  strikes: 0,
} as const satisfies Partial<Target>;

function intervalOf({ config, routeInterval }: TargetsDeps, target: Target): number {
  return (
    target.demandInterval ?? routeInterval(target.url) ?? target.renderInterval ?? config.current().render.interval
  );
}

async function mintAll(deps: TargetsDeps, requests: readonly MintRequest[]): Promise<string[]> {
  const { store, locks, schedule, config, clock } = deps;
  const isNew = ({ url }: MintRequest): boolean => store.find(url) === undefined;
  if (!requests.some(isNew)) return [];
  // One lock for all URLs: it is held for two commits, and nobody who waits for it is answering a crawler.
  const created = await locks.withLock('mint', MINT_WAIT_MS, async () => {
    store.refresh();
    const targets = requests.filter(isNew).map((request) => newTarget(request, clock.now()));
    // The schedule first: a crash between the two leaves a row that waits for its Target, not a Target that nothing renders.
    await schedule.fileFirstAll(
      targets.map((target) => ({
        url: target.url,
        intervalMs: intervalOf(deps, target),
        withinMs: config.current().render.firstRenderWithin,
        fromSitemap: target.sitemapUrl !== null,
      })),
    );
    await store.create(targets);
    return targets;
  });
  return created.map(({ url }) => url);
}

function newTarget(request: MintRequest, now: number): Target {
  return {
    url: request.url,
    sitemapUrl: request.sitemapUrl ?? null,
    source: request.source,
    discoveredBy: request.discoveredBy ?? null,
    createdAt: now,
    firstRenderedAt: null,
    renderInterval: request.renderInterval ?? null,
    demandInterval: null,
    state: null,
    suppressedReason: null,
    suppressedCanonical: null,
    suppressedAt: null,
    strikes: 0,
    unlistedAt: null,
    movedTo: null,
  };
}
