import type { Residency } from '../cluster/residency.ts';
import type { ConfigSource } from '../config/schema.ts';
import { describeError } from '../errors.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Locks, SharedBuffers, Table } from '../harper/table.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { PageStore } from '../page/page.ts';
import type { Targets } from '../target/targets.ts';
import { createBreaker, type Breaker, type HostBreaker } from './breaker.ts';
import { createClaims, type Claims } from './claim.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { createHeldVerdicts, type HeldVerdicts } from './held-verdicts.ts';
import { createHostGate } from './host-gate.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import type { LeaseBatch } from './lease.ts';
import { createLeaseBook, type LeaseBook } from './lease-book.ts';
import { createMassVerdictGuard, type HeldVerdict, type RouteGuard } from './mass-verdict.ts';
import { createPause, type Pause, type QueueControl } from './pause.ts';
import { createRepair, type Repair } from './repair.ts';
import { createReports, type LeaseReport } from './reports.ts';
import { createResults, type Results } from './results.ts';
import type { Schedule } from './schedule.ts';
import type { ScheduleInbox } from './schedule-port.ts';
import { createStatusPublisher, type QueueStatus } from './status.ts';
import { hostOf, type UrlRules } from './url-rules.ts';
import { createWindow } from './window.ts';

/** Tables of the queue, beside those of the schedule. */
export interface QueueTables {
  readonly leases: Table<LeaseBatch>;
  readonly reports: Table<LeaseReport>;
  readonly breakers: Table<HostBreaker>;
  readonly guards: Table<RouteGuard>;
  readonly held: Table<HeldVerdict>;
  readonly control: Table<QueueControl>;
  readonly status: Table<QueueStatus>;
}

/** What the queue is built from. */
export interface QueueDeps {
  readonly tables: QueueTables;
  readonly schedule: Schedule;
  readonly inbox: ScheduleInbox;
  readonly targets: Targets;
  readonly pages: PageStore;
  /** Up to `limit` cache keys after `after`, in order, and the URL of each. */
  readonly pageKeys: (after: string, limit: number) => Promise<readonly { key: string; url: string }[]>;
  readonly rules: UrlRules;
  readonly residency: Residency;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly buffers: SharedBuffers;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Host (and port) of this node that takes results. */
  readonly callbackOrigin: () => string;
  /** Headers that jobs of a URL carry to its own origin: the bypass token. */
  readonly headersFor: (url: string) => Record<string, string> | undefined;
  /** Between 0 and 1; default `Math.random`. */
  readonly random?: () => number;
}

/** The queue of this node, as one thread sees it. */
export interface Queue extends Claims, Results {
  readonly pause: Pause;
  readonly breaker: Breaker;
  readonly heldVerdicts: HeldVerdicts;
  readonly repair: Repair;
  readonly expiry: Expiry;
  /** Reads the leases that are there, then works; once per thread. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether this thread runs the node's tasks: expiry, inbox, status, repair. */
  isKeeper(): boolean;
}

const SWEEP_EVERY_MS = 250;
const INBOX_EVERY_MS = 250;
const STATUS_EVERY_MS = 1_000;
const INBOX_BATCH = 200;
const FIRST_REPAIR_MS = 10_000;
/** One will do, if it can be granted. */
const TRIAL_CANDIDATES = 3;

/** Puts the queue of one thread together. */
export function createQueue(deps: QueueDeps): Queue {
  const { tables, config, clock, locks, logger } = deps;
  const onError = (what: string, error: unknown): void => logger.error(`Queue, ${what}: ${describeError(error)}`);
  const book = createLeaseBook({
    table: tables.leases,
    locks,
    buffers: deps.buffers,
    clock,
    // The threads have like windows: without this, each would come upon all that the others have granted.
    onLeased: (url) => window.drop(url),
  });
  const pause = createPause(tables.control, clock);
  const breaker = createBreaker({ ...deps, table: tables.breakers });
  const guard = createMassVerdictGuard({ ...deps, guards: tables.guards, held: tables.held });
  const window = createWindow({
    ...deps,
    usable: () => {
      const gate = createHostGate(breaker, pause, TRIAL_CANDIDATES);
      return (row) => deps.residency.owns(row.url) && !book.isLeased(row) && gate.admits(hostOf(row.url));
    },
    leasedCount: book.size,
    onError: (error) => onError('reading what is due', error),
  });
  const settling = {
    ...deps,
    book,
    breaker,
    guard,
    reports: createReports(tables.reports),
    random: deps.random ?? Math.random,
  };
  const expiry = createExpiry(settling);
  const repair = createRepair(deps);
  const status = createStatusPublisher({ ...deps, table: tables.status, window, pause, hostname: deps.residency.self });
  const keeper = createQueueKeeper({ ...deps, expiry, repair, publish: () => status.publish(), onError });
  const results = createResults(settling);
  const claims = createClaims({ ...deps, book, window, breaker, pause });
  const loaded = loadOnce(book);
  return {
    claim: async (limit) => {
      await loaded();
      return claims.claim(Math.min(limit, config.current().render.maxClaim));
    },
    take: async (result) => {
      await loaded();
      return results.take(result);
    },
    pause,
    breaker,
    heldVerdicts: createHeldVerdicts({ ...deps, guard }),
    repair,
    expiry: {
      sweep: async (isStopped) => {
        await loaded();
        return expiry.sweep(isStopped);
      },
    },
    start: async () => {
      await loaded();
      keeper.start();
    },
    stop: () => keeper.stop(),
    isKeeper: keeper.isKeeper,
  };
}

/** Before its leases are known, a thread must neither grant nor judge. */
function loadOnce(book: LeaseBook): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= book.load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

interface KeeperParts extends Pick<QueueDeps, 'inbox' | 'residency' | 'config' | 'clock' | 'locks'> {
  readonly expiry: Expiry;
  readonly repair: Repair;
  readonly publish: () => Promise<unknown>;
  readonly onError: (what: string, error: unknown) => void;
}

function createQueueKeeper(parts: KeeperParts): Keeper {
  const { inbox, expiry, repair, publish, residency, config, clock, locks, onError } = parts;
  const whenStable =
    (task: (isStopped: () => boolean) => Promise<unknown>) =>
    async (isStopped: () => boolean): Promise<void> => {
      if (residency.isStable()) await task(isStopped);
    };
  return createKeeper({
    lock: 'queue|keeper',
    locks,
    clock,
    onError,
    tasks: [
      {
        name: 'lease expiry',
        everyMs: () => SWEEP_EVERY_MS,
        run: async (isStopped) => void (await expiry.sweep(isStopped)),
      },
      { name: 'requests', everyMs: () => INBOX_EVERY_MS, run: whenStable(() => inbox.drain(INBOX_BATCH)) },
      { name: 'status', everyMs: () => STATUS_EVERY_MS, run: whenStable(publish) },
      {
        name: 'repair',
        // What a crash has left is mended soon after the start that follows it.
        firstMs: FIRST_REPAIR_MS,
        everyMs: () => config.current().render.repair.interval,
        run: whenStable((isStopped) => repair.run(isStopped)),
      },
    ],
  });
}
