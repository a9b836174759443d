import type { Residency } from '../cluster/residency.ts';
import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { PageStore } from '../page/page.ts';
import type { Target } from '../target/target.ts';
import type { Targets } from '../target/targets.ts';
import type { Breaker } from './breaker.ts';
import type { LeaseBook } from './lease-book.ts';
import type { MassVerdictGuard } from './mass-verdict.ts';
import type { Schedule } from './schedule.ts';
import { withoutMarks, type ScheduleRow } from './schedule-row.ts';
import type { UrlRules } from './url-rules.ts';
import type { Report } from './verdict.ts';

/** What settling needs. */
export interface SettleDeps {
  readonly schedule: Schedule;
  readonly targets: Targets;
  readonly pages: PageStore;
  readonly book: LeaseBook;
  readonly breaker: Breaker;
  readonly guard: MassVerdictGuard;
  readonly rules: UrlRules;
  /** A node writes no schedule row of a URL that it does not own (any more). */
  readonly residency: Residency;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** The lease that ends, and what it brought. */
export interface Settlement {
  readonly row: ScheduleRow;
  readonly target: Target;
  readonly lease: string;
  readonly leasedAt: number;
  readonly devices: readonly string[];
  readonly reports: Readonly<Record<string, Report>>;
}

/** The row as it goes on, or `retired`: Target, pages and row are gone. */
export type Next = ScheduleRow | 'retired';

/** The row after a result that stands: due an interval from now, or at once when it was marked meanwhile. */
export function rescheduled(deps: SettleDeps, settlement: Settlement, interval: number): ScheduleRow {
  const now = deps.clock.now();
  const row = withoutMarks(settlement.row, settlement.leasedAt);
  return {
    ...row,
    nextRenderTime: row.markedAt ? now : now + interval,
    cadence: interval,
    fromSitemap: settlement.target.sitemapUrl !== null,
    failures: 0,
    expiredLeases: 0,
    targetMissingSince: null,
  };
}

/** Removes all that is kept of the URL; the Target last, so that a crash leaves one that the repair schedules again. */
export async function retire(deps: SettleDeps, url: string): Promise<'retired'> {
  await deps.pages.remove(url);
  await deps.schedule.remove(url);
  await deps.targets.delete(url);
  return 'retired';
}
