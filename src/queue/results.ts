import { PrerenderError, describeError } from '../errors.ts';
import { PAGE_STATUS_HEADER, type JobResult } from '../protocol/job.ts';
import type { Target } from '../target/target.ts';
import { cacheKey } from '../url/cache-key.ts';
import { isBlank } from './blank-page.ts';
import { parseJobId, type BatchJob } from './lease.ts';
import type { Reports } from './reports.ts';
import { isSuperseded, type ScheduleRow } from './schedule-row.ts';
import { release, settle } from './settle.ts';
import type { SettleDeps } from './settlement.ts';
import { hostOf, routeName } from './url-rules.ts';
import { judge, type PageFacts, type Report } from './verdict.ts';

/** Takes what workers send. */
export interface Results {
  /**
   * Takes a checked result. Resolves, when all of it is durable, to `taken` or to why it stored nothing: its lease has ended
   * (`late`; also when another node has come to own the URL), is settled or was granted anew (`settled`), has this device's result already (`duplicate`), is older than a change
   * mark or an invalidation (`superseded`), or its URL is no longer a Target (`retired`).
   * @throws PrerenderError RESULT_INVALID when the id is none of ours or does not fit the URL; no lease is lost by that.
   */
  take(result: JobResult): Promise<ResultFate>;
}

export type ResultFate = 'taken' | 'late' | 'settled' | 'duplicate' | 'superseded' | 'retired';

/** What results need beside settling. */
export interface ResultDeps extends SettleDeps {
  readonly reports: Reports;
}

export function createResults(deps: ResultDeps): Results {
  return {
    take: async (result) => {
      const { metadata } = result;
      const fate = await take(deps, result);
      const route = routeName(deps.rules, metadata.url);
      if (fate === 'taken') {
        deps.metrics.count('render', metadata.outcome, metadata.reason ?? 'none', route);
      } else deps.metrics.count('render', 'ignored', fate, route);
      return fate;
    },
  };
}

interface Granted {
  readonly job: BatchJob;
  readonly device: string;
}

async function take(deps: ResultDeps, result: JobResult): Promise<ResultFate> {
  const { metadata } = result;
  const granted = findGranted(deps, metadata.id, metadata.url);
  if (!granted) return 'late';
  deps.metrics.value('renderTime', metadata.renderTime, metadata.outcome, granted.device);
  const suppressedByBurst: string[] = [];
  const fate = await deps.schedule.withUrl(metadata.url, () => takeLocked(deps, result, granted, suppressedByBurst));
  for (const url of suppressedByBurst) await liftForbidden(deps, url);
  return fate;
}

function findGranted(deps: ResultDeps, id: string, url: string): Granted | undefined {
  const ref = parseJobId(id);
  if (!ref) throw new PrerenderError('RESULT_INVALID', { reason: '`id` is not the id of a job that was granted here' });
  const batch = deps.book.batch(ref.batch);
  if (!batch) return undefined;
  const job = batch.jobs[ref.index];
  const device = job?.devices[ref.device];
  if (!job || device === undefined || !job.granted.includes(device)) {
    throw new PrerenderError('RESULT_INVALID', { reason: '`id` names no job of its claim' });
  }
  if (job.url !== url) {
    throw new PrerenderError('RESULT_INVALID', { reason: '`url` is not the URL of the job that `id` names' });
  }
  return deps.clock.now() >= batch.expiresAt ? undefined : { job, device };
}

async function takeLocked(
  deps: ResultDeps,
  result: JobResult,
  { job, device }: Granted,
  suppressedByBurst: string[],
): Promise<ResultFate> {
  const { url } = job;
  if (!deps.residency.owns(url)) return 'late';
  deps.book.sync();
  const row = deps.schedule.find(url);
  const target = deps.targets.find(url);
  if (!row || !target) return 'retired';
  if (!deps.book.isOpen(job.lease, row)) return 'settled';
  if (isSuperseded(row, job.leasedAt, deps.rules.invalidatedAt(url))) {
    await release(deps, row, job.lease);
    return 'superseded';
  }
  const earlier = deps.reports.find(job.lease);
  if (earlier[device]) return 'duplicate';
  const report = await takeReport(deps, { result, row, target, device, earlier });
  suppressedByBurst.push(...(await tellBreaker(deps, url, report)));
  const reports = { ...earlier, [device]: report };
  if (job.devices.every((one) => reports[one])) {
    await settle(deps, { row, target, lease: job.lease, leasedAt: job.leasedAt, devices: job.devices, reports });
  } else await deps.reports.put(job.lease, url, reports);
  return 'taken';
}

interface Reporting {
  readonly result: JobResult;
  readonly row: ScheduleRow;
  readonly target: Target;
  readonly device: string;
  readonly earlier: Readonly<Record<string, Report>>;
}

/** Judges the result, and stores the page unless another device has said something that beats that. */
async function takeReport(deps: ResultDeps, reporting: Reporting): Promise<Report> {
  const { result, target, earlier } = reporting;
  const report = judge(result.metadata, factsOf(deps, result, target));
  const beaten = Object.values(earlier).some(({ kind }) => kind === 'redirect' || kind === 'verdict');
  if (report.kind === 'verdict' && asksForStatus(result) && !deps.guard.isHolding(routeName(deps.rules, target.url))) {
    const stored = await storePage(deps, reporting, false);
    return stored ?? { ...report, replayed: true };
  }
  if (report.kind !== 'rendered' || beaten) return report;
  return (await storePage(deps, reporting, report.isIndexable)) ?? report;
}

/** The origin alone answers 200: without a stored answer crawlers would be given that, and the URL be added anew. */
function asksForStatus({ metadata, html }: JobResult): boolean {
  return metadata.statusCode >= 400 && PAGE_STATUS_HEADER in metadata.headers && html.length > 0;
}

/** Resolves to the failure when it was not stored. */
async function storePage(
  deps: ResultDeps,
  { result, row, target, device }: Reporting,
  isIndexable: boolean,
): Promise<Report | undefined> {
  const { metadata, html, gzipped } = result;
  const now = deps.clock.now();
  const { maxBodyBytes } = deps.config.current().page;
  if (html.length > maxBodyBytes) {
    deps.logger.warn(
      `The render of ${row.url} has ${html.length} bytes, more than page.maxBodyBytes (${maxBodyBytes})`,
    );
    return { kind: 'failed', reason: 'too-large', refused: false };
  }
  if (metadata.statusCode < 300 && isSuspiciouslyShort(deps, row, device, html.length))
    return { kind: 'failed', reason: 'shrunk', refused: false };
  try {
    await deps.pages.store({
      url: row.url,
      deviceType: device,
      statusCode: metadata.statusCode,
      headers: metadata.headers,
      html,
      gzipped,
      fetchedAt: Math.min(metadata.fetchedAt ?? now - metadata.renderTime, now),
      expiresAt: now + deps.targets.intervalOf(target),
      isIndexable,
      canonical: metadata.canonical ?? null,
    });
  } catch (error) {
    deps.logger.error(`The page of ${row.url} could not be stored: ${describeError(error)}`);
    return { kind: 'failed', reason: 'not-stored', refused: false };
  }
  if (row.changedAt) deps.metrics.value('changeLag', now - row.changedAt, routeName(deps.rules, row.url));
  return undefined;
}

/** Far less than the last render had: not believed at once, but on the next try, though another device's page went well meanwhile. */
function isSuspiciouslyShort({ pages, config }: ResultDeps, row: ScheduleRow, device: string, bytes: number): boolean {
  const before = pages.find(cacheKey(row.url, device))?.value;
  if (before?.statusCode !== 200 || (row.failures ?? 0) > 0 || (before.failures ?? 0) > 0) return false;
  return bytes < before.bodyBytes * config.current().render.minBodyShare;
}

function factsOf({ rules, breaker }: ResultDeps, { metadata, html }: JobResult, target: Target): PageFacts {
  const { url, canonical } = metadata;
  return {
    listed: target.sitemapUrl !== null,
    everRendered: target.firstRenderedAt !== null,
    breakerOpen: breaker.isOpen(hostOf(url)),
    blank: isBlank(html),
    soft404: html.length > 0 && rules.isSoft404(url, html),
    canonicalIsSelf: Boolean(canonical) && rules.canonicalRelation(canonical ?? '', url) === 'self',
  };
}

/** Resolves to the URLs that turn out to have been suppressed only because their host refused everything. */
async function tellBreaker({ breaker }: ResultDeps, url: string, report: Report): Promise<string[]> {
  const forbidden = report.kind === 'verdict' && report.reason === 'forbidden';
  if (forbidden || (report.kind === 'failed' && report.refused)) {
    return breaker.refused(hostOf(url), { url, suppressed: forbidden });
  }
  if (report.kind !== 'failed') await breaker.answered(hostOf(url));
  return [];
}

async function liftForbidden(deps: ResultDeps, url: string): Promise<void> {
  await deps.schedule.withUrl(url, async () => {
    const row = deps.schedule.find(url);
    const target = deps.targets.find(url);
    if (!row || !deps.residency.owns(url) || target?.suppressedReason !== 'forbidden') return;
    await deps.targets.lift(url);
    const nextRenderTime = deps.clock.now() + deps.config.current().render.breaker.pause;
    await deps.schedule.put({ ...row, nextRenderTime: Math.min(row.nextRenderTime, nextRenderTime) });
  });
}
