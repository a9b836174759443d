import { backoffDelay } from './backoff.ts';
import type { ScheduleRow } from './schedule-row.ts';
import { applyRedirect } from './settle-redirect.ts';
import { applyVerdict } from './settle-verdict.ts';
import { rescheduled, type Next, type SettleDeps, type Settlement } from './settlement.ts';
import { hostOf, routeName } from './url-rules.ts';
import { strongest, type Report } from './verdict.ts';

const MISSING: Report = { kind: 'failed', reason: 'no-result', refused: false };

/**
 * Ends a lease: its reports decide once over the URL, which is scheduled anew or retired. Inside `Schedule.withUrl`. The schedule row is
 * written last, so that a crash before it means another render, never a lost URL.
 */
export async function settle(deps: SettleDeps, settlement: Settlement): Promise<void> {
  const next = await decide(deps, settlement);
  if (next !== 'retired') await deps.schedule.put({ ...next, settledLease: settlement.lease });
  deps.book.settled(settlement.row.url, settlement.lease);
}

/** Ends a lease without judging the page: the row stays as due as it is. */
export async function release(deps: SettleDeps, row: ScheduleRow, lease: string): Promise<void> {
  await deps.schedule.put({ ...row, settledLease: lease });
  deps.book.settled(row.url, lease);
}

/** Ends a lease that could not be settled: the URL waits as after a failure. */
export async function giveUp(deps: SettleDeps, row: ScheduleRow, lease: string): Promise<void> {
  await deps.schedule.put({ ...backedOff(deps, row), settledLease: lease });
  deps.book.settled(row.url, lease);
}

async function decide(deps: SettleDeps, settlement: Settlement): Promise<Next> {
  const all = settlement.devices.map((device) => settlement.reports[device] ?? MISSING);
  const decisive = strongest(all) ?? MISSING;
  if (decisive.kind === 'redirect') return applyRedirect(deps, settlement, decisive);
  if (decisive.kind === 'verdict' && !isRefusalOfHost(deps, settlement, decisive)) {
    return applyVerdict(deps, settlement, decisive);
  }
  if (decisive.kind === 'rendered') return applyRendered(deps, settlement);
  if (Object.keys(settlement.reports).length === 0) return applySilence(deps, settlement);
  return applyFailure(deps, settlement);
}

/** A 403 in the burst that opened the breaker is about the host. */
function isRefusalOfHost({ breaker }: SettleDeps, { row }: Settlement, report: Report): boolean {
  return report.kind === 'verdict' && report.reason === 'forbidden' && breaker.isOpen(hostOf(row.url));
}

async function applyRendered(deps: SettleDeps, settlement: Settlement): Promise<ScheduleRow> {
  const { target, row } = settlement;
  const route = routeName(deps.rules, row.url);
  if (target.firstRenderedAt !== null) await deps.guard.holds(route, false);
  await recordFailures(deps, settlement);
  const { lifted } = await deps.targets.markRendered(row.url);
  if (lifted) deps.metrics.count('suppression', 'lifted', lifted, route);
  return rescheduled(deps, settlement, deps.targets.intervalOf(target));
}

/** Every device that failed, or said nothing, keeps the page it has. */
async function recordFailures({ pages }: SettleDeps, { devices, reports, row }: Settlement): Promise<void> {
  for (const device of devices) {
    if ((reports[device] ?? MISSING).kind === 'failed') await pages.recordFailure(row.url, device);
  }
}

async function applyFailure(deps: SettleDeps, settlement: Settlement): Promise<ScheduleRow> {
  await recordFailures(deps, settlement);
  return backedOff(deps, { ...settlement.row, expiredLeases: 0 });
}

/** No device reported: perhaps the worker died of something else, so it is granted again, but not for ever. */
async function applySilence(deps: SettleDeps, settlement: Settlement): Promise<ScheduleRow> {
  const { row } = settlement;
  const expiredLeases = (row.expiredLeases ?? 0) + 1;
  const silent = { ...row, expiredLeases };
  if (expiredLeases < deps.config.current().render.backoff.expiredLeases) {
    deps.metrics.count('queueLeaseExpired', 'again');
    return silent;
  }
  deps.metrics.count('queueLeaseExpired', 'backed-off');
  deps.logger.warn(`${expiredLeases} leases in a row of ${row.url} ended without a result: it is backed off`);
  await recordFailures(deps, settlement);
  return backedOff(deps, silent);
}

function backedOff(deps: SettleDeps, row: ScheduleRow): ScheduleRow {
  const failures = (row.failures ?? 0) + 1;
  const delay = backoffDelay(failures, deps.config.current().render.backoff, row.cadence, deps.random());
  return { ...row, failures, nextRenderTime: deps.clock.now() + delay };
}
