import type { Clock } from '../harper/clock.ts';
import type { Locks, SharedBuffers, Table } from '../harper/table.ts';
import type { BatchJob, CarriedLease, LeaseBatch } from './lease.ts';
import type { ScheduleRow } from './schedule-row.ts';

/**
 * The leases of this node: durable rows, and in each thread a picture of them that is brought up to date under the claim lock.
 * The only reader and writer of RenderLease. Memory: about 300 bytes for each lease that has not ended yet.
 */
export interface LeaseBook {
  /** Reads what is there; a lease that may still be running is honoured, also after a restart. Call once per thread. */
  load(): Promise<void>;
  /** Runs `task` as the only claim of this node, over all threads, with the picture up to date. */
  exclusively<T>(task: () => Promise<T>): Promise<T>;
  /** Takes in what other threads have granted. Cheap when that is nothing. */
  sync(): void;
  /** Whether the URL of this row is leased. */
  isLeased(row: Pick<ScheduleRow, 'url' | 'settledLease'>): boolean;
  /** Whether this very lease is the URL's last and not settled. */
  isOpen(lease: string, row: Pick<ScheduleRow, 'url' | 'settledLease'>): boolean;
  /** Devices that the last claim could not take, when their lease still runs. */
  carried(): CarriedLease | null;
  /** The id of the batch to be granted next; inside `exclusively`. */
  nextId(): string;
  /** Makes the batch durable; inside `exclusively`. No job of it may be answered before this has resolved. */
  grant(batch: LeaseBatch): Promise<void>;
  batch(id: string): LeaseBatch | undefined;
  /** Forgets a settled lease in this thread; the others see it in the schedule row. */
  settled(url: string, lease: string): void;
  /** Batches that have ended, the oldest first. */
  ended(): LeaseBatch[];
  /** Whether the lease runs on, in a later batch. */
  endsLater(job: BatchJob): boolean;
  /** Drops ended batches for good, when all of their leases are settled. */
  drop(ids: readonly string[]): Promise<void>;
  /** How many URLs this thread believes to be leased, an upper bound. */
  size(): number;
}

interface Leased {
  lease: string;
  expiresAt: number;
}

/** What the book is built from. */
export interface LeaseBookDeps {
  readonly table: Table<LeaseBatch>;
  readonly locks: Locks;
  readonly buffers: SharedBuffers;
  readonly clock: Clock;
  /** Told of each URL that this or another thread has leased. */
  readonly onLeased?: (url: string) => void;
}

const CLAIM_LOCK = 'queue|claim';
const CLAIM_WAIT_MS = 10_000;

/** Opens the book; `load` before anything else. */
export function createLeaseBook({ table, locks, buffers, clock, onLeased }: LeaseBookDeps): LeaseBook {
  // The id of the newest durable batch, shared by the threads: rows up to it can be read.
  const newest = new BigInt64Array(buffers.open('queue|newest-batch', 8));
  const batches = new Map<string, LeaseBatch>();
  const leased = new Map<string, Leased>();
  let carry: CarriedLease | null = null;
  let seen = 0n;

  const adopt = (batch: LeaseBatch): void => {
    batches.set(batch.id, batch);
    for (const job of batch.jobs) {
      leased.set(job.url, { lease: job.lease, expiresAt: batch.expiresAt });
      onLeased?.(job.url);
    }
    carry = batch.carry;
  };
  const forget = (batch: LeaseBatch): void => {
    batches.delete(batch.id);
    for (const job of batch.jobs) {
      const current = leased.get(job.url);
      if (current?.lease === job.lease && current.expiresAt <= batch.expiresAt) leased.delete(job.url);
    }
  };
  const forgetDropped = (): void => {
    const now = clock.now();
    for (const batch of batches.values()) {
      if (batch.expiresAt > now || table.entry(batch.id)) return;
      forget(batch);
    }
  };
  const sync = (): void => {
    const last = Atomics.load(newest, 0);
    if (last === seen || seen === 0n) {
      // Another thread may be the one that drops them.
      forgetDropped();
      return;
    }
    table.refresh();
    for (let id = seen + 1n; id <= last; id++) {
      const entry = table.entry(String(id));
      if (entry && !batches.has(String(id))) adopt(readBatch(entry.value));
    }
    seen = last;
    forgetDropped();
  };
  const isOpen = (lease: string, row: Pick<ScheduleRow, 'url' | 'settledLease'>): boolean =>
    leased.get(row.url)?.lease === lease && !isSettled(row, lease);
  const exclusively = <T>(task: () => Promise<T>): Promise<T> =>
    locks.withLock(CLAIM_LOCK, CLAIM_WAIT_MS, () => {
      sync();
      return task();
    });

  return {
    load: () =>
      locks.withLock(CLAIM_LOCK, CLAIM_WAIT_MS, async () => {
        table.refresh();
        const rows: LeaseBatch[] = [];
        for await (const row of table.search({})) rows.push(readBatch(row));
        rows.sort((a, b) => Number(a.id) - Number(b.id));
        rows.forEach(adopt);
        // Ids go on above all earlier ones, also when every row is gone: by the clock, as there are fewer claims than ms.
        const floor = BigInt(Math.max(Math.floor(clock.now()), Number(rows.at(-1)?.id ?? 0)));
        Atomics.compareExchange(newest, 0, 0n, floor);
        seen = Atomics.load(newest, 0);
      }),
    exclusively,
    sync,
    isOpen,
    isLeased: (row) => {
      const current = leased.get(row.url);
      if (!current) return false;
      if (!isSettled(row, current.lease)) return true;
      leased.delete(row.url);
      return false;
    },
    carried: () => {
      const current = carry && leased.get(carry.url);
      return carry && current?.lease === carry.lease && current.expiresAt > clock.now() ? carry : null;
    },
    nextId: () => String(Atomics.load(newest, 0) + 1n),
    grant: async (batch) => {
      await table.put(batch);
      adopt(batch);
      seen = BigInt(batch.id);
      Atomics.store(newest, 0, seen);
    },
    batch: (id) => {
      const known = batches.get(id);
      if (known) return known;
      sync();
      return batches.get(id);
    },
    settled: (url, lease) => {
      if (leased.get(url)?.lease === lease) leased.delete(url);
    },
    ended: () => {
      sync();
      const now = clock.now();
      return [...batches.values()].filter((batch) => batch.expiresAt <= now);
    },
    endsLater: (job) => {
      const current = leased.get(job.url);
      return current?.lease === job.lease && current.expiresAt > clock.now();
    },
    drop: async (ids) => {
      await table.write([], ids);
      for (const id of ids) {
        const batch = batches.get(id);
        if (batch) forget(batch);
      }
    },
    size: () => leased.size,
  };
}

/** A later one that is settled settles it too: when lease times were shortened, it can have ended before. */
function isSettled({ settledLease }: Pick<ScheduleRow, 'settledLease'>, lease: string): boolean {
  if (!settledLease) return false;
  return settledLease === lease || batchNumber(settledLease) > batchNumber(lease);
}

function batchNumber(lease: string): number {
  return Number(lease.slice(0, lease.indexOf('.')));
}

function readBatch(row: LeaseBatch): LeaseBatch {
  return {
    id: row.id,
    grantedAt: Number(row.grantedAt),
    expiresAt: Number(row.expiresAt),
    jobs: row.jobs.map((job) => ({ ...job, leasedAt: Number(job.leasedAt) })),
    carry: row.carry ?? null,
  };
}
