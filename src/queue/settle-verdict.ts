import { rescheduled, retire, type Next, type SettleDeps, type Settlement } from './settlement.ts';
import { routeName } from './url-rules.ts';
import type { Report } from './verdict.ts';

type VerdictReport = Extract<Report, { kind: 'verdict' }>;

/**
 * Suppresses the URL, or deletes it when it has had its strikes: an unlisted page that is gone at once, a listed one only for being gone.
 * A verdict that comes in a mass is held, and the pages stay.
 */
export async function applyVerdict(deps: SettleDeps, settlement: Settlement, report: VerdictReport): Promise<Next> {
  const { target, row } = settlement;
  const { suppression } = deps.config.current().render;
  const route = routeName(deps.rules, row.url);
  const count = (event: string): void => deps.metrics.count('suppression', event, report.reason, route);
  const wasGood = target.firstRenderedAt !== null && target.state === null;
  const verdict = { url: row.url, route, reason: report.reason, canonical: report.canonical };
  if (wasGood && (await deps.guard.holds(route, true)) && (await deps.guard.hold(verdict))) {
    count('held');
    return rescheduled(deps, settlement, suppression.recheckInterval);
  }
  return suppress(deps, settlement, report, count);
}

async function suppress(
  deps: SettleDeps,
  settlement: Settlement,
  report: VerdictReport,
  count: (event: string) => void,
): Promise<Next> {
  const { target, row } = settlement;
  const { recheckInterval, goneRecheckInterval } = deps.config.current().render.suppression;
  const gone = report.reason === 'http-gone';
  const listed = target.sitemapUrl !== null;
  const strikes = await deps.targets.suppress(row.url, report);
  count('suppressed');
  if (strikes >= strikesToDelete(deps, report, listed)) {
    count('deleted');
    return retire(deps, row.url);
  }
  if (!report.replayed) await deps.pages.remove(row.url);
  return rescheduled(deps, settlement, gone && listed ? goneRecheckInterval : recheckInterval);
}

/**
 * A page that a sitemap lists is never deleted for anything but being gone. One that asks for its 404 itself is kept like any other
 * verdict: deleted, it would be added anew by the next crawler, to whom the origin says 200.
 */
function strikesToDelete({ config }: SettleDeps, { reason, replayed }: VerdictReport, listed: boolean): number {
  const { maxStrikes, goneStrikes } = config.current().render.suppression;
  if (reason === 'http-gone' && !replayed) return listed ? goneStrikes : 1;
  return listed ? Infinity : maxStrikes;
}
