import type { Residency } from '../cluster/residency.ts';
import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { PageStore } from '../page/page.ts';
import type { Target } from '../target/target.ts';
import type { Targets } from '../target/targets.ts';
import { cacheKey } from '../url/cache-key.ts';
import { createOrphanPages } from './orphan-pages.ts';
import type { Schedule } from './schedule.ts';
import { firstRenderTime } from './schedule-port.ts';
import type { ScheduleRow } from './schedule-row.ts';

/** Compares Targets, schedule rows and pages, and mends what a crash or a lost write has left. */
export interface Repair {
  /**
   * Goes once through all of this node, in steps of `render.repair.batch` rows with a pause between them; memory: one step.
   * Stops between two steps when `isStopped` says so.
   */
  run(isStopped: () => boolean): Promise<RepairOutcome>;
}

/** How many rows each mend met. */
export interface RepairOutcome {
  /** Targets that had no schedule row. */
  scheduled: number;
  /** Schedule rows whose Target is missing, put off. */
  deferred: number;
  /** Those that had been put off for `render.repair.orphanTtl`. */
  dropped: number;
  /** URLs whose pages had no Target. */
  swept: number;
}

/** What the repair is built from. */
export interface RepairDeps {
  readonly schedule: Schedule;
  readonly targets: Targets;
  readonly pages: PageStore;
  /** Up to `limit` cache keys after `after`, in order, and the URL of each. */
  readonly pageKeys: (after: string, limit: number) => Promise<readonly { key: string; url: string }[]>;
  readonly residency: Residency;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const STEP_PAUSE_MS = 50;

export function createRepair(deps: RepairDeps): Repair {
  const orphans = createOrphanPages(deps);
  return {
    run: async (isStopped) => {
      const outcome: RepairOutcome = { scheduled: 0, deferred: 0, dropped: 0, swept: 0 };
      const { targets, schedule, pageKeys } = deps;
      const walk = <Row>(
        page: (after: string, limit: number) => Promise<readonly Row[]>,
        key: (row: Row) => string,
        mend: (row: Row) => Promise<keyof RepairOutcome | undefined>,
      ): Promise<void> => walkAll(deps, { page, key, mend, isStopped, outcome });
      await walk(
        targets.page,
        (target) => target.url,
        (target) => scheduleMissing(deps, target),
      );
      await walk(
        schedule.page,
        (row) => row.url,
        (row) => checkOrphan(deps, row),
      );
      await walk(
        pageKeys,
        (page) => page.key,
        (page) => orphans.check(page),
      );
      if (!isStopped()) orphans.walked();
      return outcome;
    },
  };
}

interface Walk<Row> {
  readonly page: (after: string, limit: number) => Promise<readonly Row[]>;
  readonly key: (row: Row) => string;
  readonly mend: (row: Row) => Promise<keyof RepairOutcome | undefined>;
  readonly isStopped: () => boolean;
  readonly outcome: RepairOutcome;
}

async function walkAll<Row>(deps: RepairDeps, walk: Walk<Row>): Promise<void> {
  const { batch } = deps.config.current().render.repair;
  let after = '';
  while (!walk.isStopped()) {
    const rows = await walk.page(after, batch);
    for (const row of rows) {
      const event = await walk.mend(row);
      if (!event) continue;
      walk.outcome[event]++;
      deps.metrics.count('queueRepair', event);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = walk.key(last);
    await new Promise<void>((resolve) => deps.clock.after(STEP_PAUSE_MS, resolve));
  }
}

async function scheduleMissing(deps: RepairDeps, target: Target): Promise<'scheduled' | undefined> {
  const { schedule, residency, targets } = deps;
  const { url } = target;
  if (!residency.owns(url) || schedule.find(url)) return undefined;
  return schedule.withUrl(url, async () => {
    if (schedule.find(url) || !targets.find(url)) return undefined;
    await schedule.put({
      url,
      nextRenderTime: missingTime(deps, target),
      cadence: targets.intervalOf(target),
      fromSitemap: target.sitemapUrl !== null,
    });
    return 'scheduled';
  });
}

/** When its page expires, if it has one: many rows are missing at once after a URL's owner has changed. */
function missingTime({ pages, targets, clock, config }: RepairDeps, target: Target): number {
  const { devices, firstRenderWithin, suppression } = config.current().render;
  const now = clock.now();
  const spread = (withinMs: number): number => firstRenderTime(target.url, now, withinMs, withinMs);
  if (target.state !== null) return spread(suppression.recheckInterval);
  const expiries = devices.map((device) => Number(pages.find(cacheKey(target.url, device))?.value.expiresAt ?? 0));
  const known = expiries.filter((expiresAt) => expiresAt > now);
  return known.length > 0 ? Math.min(...known) : spread(Math.min(targets.intervalOf(target), firstRenderWithin));
}

/** The Target may only not have replicated yet, so the row waits before it goes. */
async function checkOrphan(deps: RepairDeps, seen: ScheduleRow): Promise<'deferred' | 'dropped' | undefined> {
  const { schedule, targets, residency, config, clock, logger } = deps;
  if (!residency.owns(seen.url)) return undefined;
  const isSettled = (row: ScheduleRow): boolean => targets.find(row.url) !== undefined && !row.targetMissingSince;
  if (isSettled(seen)) return undefined;
  return schedule.withUrl(seen.url, async () => {
    const row = schedule.find(seen.url);
    if (!row || isSettled(row)) return undefined;
    if (targets.find(row.url)) {
      await schedule.put({ ...row, targetMissingSince: null });
      return undefined;
    }
    const now = clock.now();
    const since = row.targetMissingSince ?? now;
    const { orphanTtl, interval } = config.current().render.repair;
    if (now - since >= orphanTtl) {
      await schedule.remove(row.url);
      logger.warn(`The schedule of ${row.url} is dropped: it has had no Target for ${now - since} ms`);
      return 'dropped';
    }
    await schedule.put({
      ...row,
      targetMissingSince: since,
      nextRenderTime: Math.max(row.nextRenderTime, now + interval),
    });
    return row.targetMissingSince ? undefined : 'deferred';
  });
}
