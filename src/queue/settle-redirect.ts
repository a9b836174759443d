import { rescheduled, retire, type Next, type SettleDeps, type Settlement } from './settlement.ts';
import { applyVerdict } from './settle-verdict.ts';
import type { Report } from './verdict.ts';

type RedirectReport = Extract<Report, { kind: 'redirect' }>;

/**
 * A permanent redirect: its destination becomes a Target and the source is retired. Any other: a strike. A redirect to the page's own
 * key can never end.
 */
export async function applyRedirect(deps: SettleDeps, settlement: Settlement, report: RedirectReport): Promise<Next> {
  const { row } = settlement;
  const destination = report.location === null ? 'refused' : deps.rules.acceptDestination(row.url, report.location);
  if (destination === 'self') {
    return applyVerdict(deps, settlement, { kind: 'verdict', reason: 'redirect-loop', canonical: null });
  }
  if (!report.permanent) return strike(deps, settlement);
  if (destination === 'refused' || deps.rules.routeOf(row.url)?.mode !== 'prerender') {
    await deps.pages.remove(row.url);
    return strike(deps, settlement);
  }
  return adopt(deps, settlement, destination.url);
}

/** The destination first: a crash in between leaves two Targets, never none. */
async function adopt(deps: SettleDeps, settlement: Settlement, destination: string): Promise<Next> {
  const { target, row } = settlement;
  await deps.targets.mint({ url: destination, source: 'redirect', discoveredBy: target.discoveredBy ?? undefined });
  if (target.sitemapUrl === null) return retire(deps, row.url);
  // The sitemap would only add it again; kept aside, it is looked at again in case the redirect ends.
  await deps.targets.markMoved(row.url, destination);
  await deps.pages.remove(row.url);
  return rescheduled(deps, settlement, deps.config.current().render.suppression.recheckInterval);
}

/** The page that is stored stays, and grows stale, in case the redirect is a passing one. */
async function strike(deps: SettleDeps, settlement: Settlement): Promise<Next> {
  const { target, row } = settlement;
  const { maxStrikes, recheckInterval } = deps.config.current().render.suppression;
  const strikes = await deps.targets.strike(row.url);
  if (strikes < maxStrikes) return rescheduled(deps, settlement, deps.targets.intervalOf(target));
  return target.sitemapUrl === null ? retire(deps, row.url) : rescheduled(deps, settlement, recheckInterval);
}
