import type { BatchJob } from './lease.ts';
import type { ResultDeps } from './results.ts';
import { isSuperseded } from './schedule-row.ts';
import { release, settle } from './settle.ts';

/** Ends the leases whose time is over. */
export interface Expiry {
  /** Settles what is left of each batch that has ended and drops it. Resolves to how many leases ended without all results. */
  sweep(): Promise<number>;
}

export function createExpiry(deps: ResultDeps): Expiry {
  return {
    sweep: async () => {
      let unfinished = 0;
      for (const batch of deps.book.ended()) {
        for (const job of batch.jobs) if (await endLease(deps, job)) unfinished++;
        await deps.reports.remove(batch.jobs.filter((job) => !deps.book.endsLater(job)).map((job) => job.lease));
        await deps.book.drop([batch.id]);
      }
      return unfinished;
    },
  };
}

/** Answers whether the lease had not been settled. */
async function endLease(deps: ResultDeps, job: BatchJob): Promise<boolean> {
  const before = deps.schedule.find(job.url);
  if (!before || !isOver(deps, job, before)) return false;
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
