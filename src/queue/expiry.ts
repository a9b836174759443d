import { describeError } from '../errors.ts';
import type { BatchJob, LeaseBatch } from './lease.ts';
import type { ResultDeps } from './results.ts';
import { isSuperseded } from './schedule-row.ts';
import { giveUp, release, settle } from './settle.ts';

/** Ends the leases whose time is over. */
export interface Expiry {
  /**
   * Settles what is left of each batch that has ended and drops it. A lease that cannot be settled holds up no other: its batch is
   * tried again, and given up in the end. Stops between two batches when `isStopped` says so. Resolves to how many leases ended
   * without all results.
   */
  sweep(isStopped?: () => boolean): Promise<number>;
}

const TRY_AGAIN_MS = 10_000;
const GIVE_UP_MS = 5 * 60_000;

export function createExpiry(deps: ResultDeps): Expiry {
  const { book, clock } = deps;
  /** Batches with a lease that could not be settled, and when they are tried again. */
  const tryAgainAt = new Map<string, number>();
  return {
    sweep: async (isStopped = () => false) => {
      let unfinished = 0;
      for (const batch of book.ended()) {
        if (isStopped()) break;
        if ((tryAgainAt.get(batch.id) ?? 0) > clock.now()) continue;
        const { ended, failed } = await endBatch(deps, batch);
        unfinished += ended;
        if (failed.length > 0 && clock.now() - batch.expiresAt < GIVE_UP_MS) {
          tryAgainAt.set(batch.id, clock.now() + TRY_AGAIN_MS);
          continue;
        }
        for (const job of failed) await abandon(deps, job);
        await deps.reports.remove(batch.jobs.filter((job) => !book.endsLater(job)).map((job) => job.lease));
        await book.drop([batch.id]);
        tryAgainAt.delete(batch.id);
      }
      return unfinished;
    },
  };
}

async function endBatch(deps: ResultDeps, batch: LeaseBatch): Promise<{ ended: number; failed: BatchJob[] }> {
  let ended = 0;
  const failed: BatchJob[] = [];
  for (const job of batch.jobs) {
    try {
      if (await endLease(deps, job)) ended++;
    } catch (error) {
      failed.push(job);
      deps.logger.error(`The lease of ${job.url} that has ended could not be settled: ${describeError(error)}`);
    }
  }
  return { ended, failed };
}

/** Should that fail too, the URL is granted again once its batch is dropped. */
async function abandon(deps: ResultDeps, job: BatchJob): Promise<void> {
  try {
    await deps.schedule.withUrl(job.url, async () => {
      const row = deps.schedule.find(job.url);
      if (row && isOver(deps, job, row) && deps.residency.owns(job.url)) await giveUp(deps, row, job.lease);
    });
  } catch (error) {
    deps.logger.error(`The lease of ${job.url} is dropped unsettled: ${describeError(error)}`);
  }
}

/** Answers whether the lease had not been settled. */
async function endLease(deps: ResultDeps, job: BatchJob): Promise<boolean> {
  const before = deps.schedule.find(job.url);
  if (!before || !isOver(deps, job, before) || !deps.residency.owns(job.url)) return false;
  return deps.schedule.withUrl(job.url, async () => {
    const row = deps.schedule.find(job.url);
    if (!row || !isOver(deps, job, row)) return false;
    const target = deps.targets.find(job.url);
    const reports = deps.reports.find(job.lease);
    const ungranted = hasUngranted(job);
    const superseded = isSuperseded(row, job.leasedAt, deps.rules.invalidatedAt(job.url));
    if (!target || superseded || (ungranted && Object.keys(reports).length > 0)) await release(deps, row, job.lease);
    else {
      const devices = ungranted ? job.granted : job.devices;
      await settle(deps, { row, target, lease: job.lease, leasedAt: job.leasedAt, devices, reports });
    }
    return true;
  });
}

function isOver(deps: ResultDeps, job: BatchJob, row: { url: string; settledLease?: string | null }): boolean {
  return deps.book.isOpen(job.lease, row) && !deps.book.endsLater(job);
}

/** Whether devices of the lease were never granted: this is its last batch, and the last device did not come with it. */
function hasUngranted(job: BatchJob): boolean {
  return job.granted.at(-1) !== job.devices.at(-1);
}
