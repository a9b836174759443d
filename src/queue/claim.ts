import type { Residency } from '../cluster/residency.ts';
import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { RenderJob } from '../protocol/job.ts';
import type { TargetReader } from '../target/target.ts';
import type { Breaker } from './breaker.ts';
import { createHostGate } from './host-gate.ts';
import { formatJobId, type BatchJob, type CarriedLease, type LeaseBatch } from './lease.ts';
import type { LeaseBook } from './lease-book.ts';
import { ALL_HOSTS, type Pause } from './pause.ts';
import type { Schedule } from './schedule.ts';
import { markOf, type ScheduleRow } from './schedule-row.ts';
import { hostOf } from './url-rules.ts';
import type { ClaimWindow } from './window.ts';

/** Grants jobs. */
export interface Claims {
  /**
   * Up to `limit` leased jobs of URLs that this node owns, by priority; none while the cluster is not settled or all is paused.
   * When it resolves, the leases are durable.
   */
  claim(limit: number): Promise<RenderJob[]>;
}

/** What claims are built from. */
export interface ClaimDeps {
  readonly schedule: Schedule;
  readonly targets: TargetReader;
  readonly book: LeaseBook;
  readonly window: ClaimWindow;
  readonly breaker: Breaker;
  readonly pause: Pause;
  readonly residency: Residency;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Host (and port) of this node that takes results. */
  readonly callbackOrigin: () => string;
  /** Headers that jobs of this URL carry to its own origin. */
  readonly headersFor: (url: string) => Record<string, string> | undefined;
}

/** A window older than this is read anew before a claim that it cannot fill. */
const FRESH_MS = 400;
const REFRESH_LIMIT_MS = 1_000;

export function createClaims(deps: ClaimDeps): Claims {
  return {
    claim: async (limit) => {
      if (!deps.residency.isStable() || deps.pause.isPaused(ALL_HOSTS)) return [];
      const enough = Math.ceil(limit / deps.config.current().render.devices.length);
      if (deps.window.size() < enough) await deps.window.refreshed(FRESH_MS, REFRESH_LIMIT_MS, enough);
      const batch = await deps.book.exclusively(() => grant(deps, limit));
      deps.window.replenish();
      return batch ? describeJobs(deps, batch) : [];
    },
  };
}

async function grant(deps: ClaimDeps, limit: number): Promise<LeaseBatch | undefined> {
  const { book, schedule, clock, config, breaker } = deps;
  schedule.refresh();
  const { leaseTime, devices } = config.current().render;
  const now = clock.now();
  const id = book.nextId();
  const picked: Picked = { jobs: [], carry: book.carried(), room: limit };
  resumeCarried(deps, picked);
  const gate = createHostGate(breaker, deps.pause, 1);
  for (const candidate of deps.window.candidates()) {
    if (picked.room <= 0) break;
    const row = checkedRow(deps, candidate.url, now);
    if (!row || !gate.admits(hostOf(row.url))) {
      deps.window.drop(candidate.url);
      continue;
    }
    take(picked, { url: row.url, lease: `${id}.${picked.jobs.length}`, leasedAt: now, devices: [...devices] });
    deps.window.drop(row.url);
    countGrant(deps, row, picked.jobs.at(-1));
    deps.metrics.value('queueLag', now - row.nextRenderTime, markOf(row));
  }
  if (picked.jobs.length === 0) return undefined;
  const batch: LeaseBatch = { id, grantedAt: now, expiresAt: now + leaseTime, jobs: picked.jobs, carry: picked.carry };
  for (const host of gate.trials()) await breaker.granted(host, batch.expiresAt);
  await book.grant(batch);
  return batch;
}

interface Picked {
  jobs: BatchJob[];
  carry: CarriedLease | null;
  room: number;
}

/** First what the last claim had no room for: its lease already runs. */
function resumeCarried(deps: ClaimDeps, picked: Picked): void {
  const { carry } = picked;
  if (!carry) return;
  picked.carry = null;
  const row = deps.schedule.find(carry.url);
  if (!row || !deps.book.isOpen(carry.lease, row)) return;
  take(picked, carry, carry.left);
  countGrant(deps, row, picked.jobs.at(-1));
}

function take(picked: Picked, lease: Omit<CarriedLease, 'left'>, wanted: readonly string[] = lease.devices): void {
  const granted = wanted.slice(0, picked.room);
  const left = wanted.slice(picked.room);
  const { url, lease: id, leasedAt, devices } = lease;
  picked.jobs.push({ url, lease: id, leasedAt, devices, granted });
  picked.room -= granted.length;
  if (left.length > 0) picked.carry = { url, lease: id, leasedAt, devices, left };
}

/** The row as it is now, when it may be granted. */
function checkedRow(deps: ClaimDeps, url: string, now: number): ScheduleRow | undefined {
  const row = deps.schedule.find(url);
  if (!row || row.nextRenderTime > now || deps.book.isLeased(row) || !deps.residency.owns(url)) return undefined;
  if (deps.targets.find(url)) return row;
  // It may not have replicated yet: the repair decides.
  deps.window.shun(url);
  return undefined;
}

function countGrant({ metrics }: ClaimDeps, row: ScheduleRow, job: BatchJob | undefined): void {
  const mark = markOf(row);
  job?.granted.forEach(() => metrics.count('queueClaimed', mark));
}

function describeJobs(deps: ClaimDeps, batch: LeaseBatch): RenderJob[] {
  const callbackOrigin = deps.callbackOrigin();
  const { renderBudget, leaseTime } = deps.config.current().render;
  return batch.jobs.flatMap((job, index) => {
    const headers = deps.headersFor(job.url);
    const isFromSitemap = typeof deps.targets.find(job.url)?.sitemapUrl === 'string';
    return job.granted.map((deviceType) => ({
      id: formatJobId({ batch: batch.id, index, device: job.devices.indexOf(deviceType) }),
      url: job.url,
      deviceType,
      expiresAt: batch.expiresAt,
      callbackOrigin,
      isFromSitemap,
      ...(headers ? { headers } : {}),
      renderBudget: Math.min(renderBudget, leaseTime),
    }));
  });
}
