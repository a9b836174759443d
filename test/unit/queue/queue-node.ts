import { createResidency, type Residency } from '../../../src/cluster/residency.ts';
import type { Metrics } from '../../../src/metrics/emitter.ts';
import type { JobResult, JobResultMetadata, RenderJob } from '../../../src/protocol/job.ts';
import type { HostBreaker } from '../../../src/queue/breaker.ts';
import { createUrlRules } from '../../../src/queue/config-url-rules.ts';
import type { LeaseBatch } from '../../../src/queue/lease.ts';
import type { HeldVerdict, RouteGuard } from '../../../src/queue/mass-verdict.ts';
import type { QueueControl } from '../../../src/queue/pause.ts';
import { createQueue, type Queue } from '../../../src/queue/queue.ts';
import type { LeaseReport } from '../../../src/queue/reports.ts';
import { createSchedule, type Schedule } from '../../../src/queue/schedule.ts';
import { createSchedulePort, type ScheduleInbox, type ScheduleRequest } from '../../../src/queue/schedule-port.ts';
import type { ScheduleRow } from '../../../src/queue/schedule-row.ts';
import type { QueueStatus } from '../../../src/queue/status.ts';
import { createTargetStore } from '../../../src/target/store.ts';
import type { Target } from '../../../src/target/target.ts';
import { createTargets, type Targets } from '../../../src/target/targets.ts';
import { sampleTarget } from '../fakes/sample-target.ts';
import { testConfig, type TestConfig } from '../fakes/config.ts';
import { recordingLogger, type RecordingLogger } from '../fakes/logger.ts';
import { MemoryPages } from '../fakes/memory-pages.ts';
import { MemoryNode, MemoryTable } from '../fakes/memory-table.ts';
import { TurnedClock } from '../fakes/turned-clock.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The queue of one thread of a simulated node. */
export interface QueueThread extends Queue {
  readonly targets: Targets;
  readonly inbox: ScheduleInbox;
  readonly schedule: Schedule;
  readonly residency: Residency;
  die(): void;
}

/** A node in memory whose threads share tables, locks and time. */
export class QueueNode {
  readonly clock = new TurnedClock();
  readonly config: TestConfig;
  readonly logger: RecordingLogger = recordingLogger();
  readonly pages = new MemoryPages();
  readonly counted: string[] = [];
  readonly targetRows = new MemoryTable<Target>('url');
  readonly scheduleRows = new MemoryTable<ScheduleRow>('url');
  readonly requests = new MemoryTable<ScheduleRequest>('id');
  readonly leases = new MemoryTable<LeaseBatch>('id');
  readonly reports = new MemoryTable<LeaseReport>('lease');
  readonly breakers = new MemoryTable<HostBreaker>('host');
  readonly guards = new MemoryTable<RouteGuard>('route');
  readonly held = new MemoryTable<HeldVerdict>('url');
  readonly control = new MemoryTable<QueueControl>('scope');
  readonly status = new MemoryTable<QueueStatus>('hostname');
  #shared = new MemoryNode();
  nodeNames: string[] = ['node-1'];

  constructor(options: object = {}) {
    this.config = testConfig({
      domains: ['shop.test', 'other.test'],
      ingress: { routes: [{ match: 'prefix', path: '/', mode: 'prerender', queryParams: ['*'] }] },
      ...options,
    });
  }

  /** What is left after a restart of the whole process: the tables. */
  restart(): void {
    this.#shared = new MemoryNode();
  }

  thread(): QueueThread {
    const { clock, config, logger, pages } = this;
    const locks = this.#shared.threadLocks();
    const metrics: Metrics = {
      count: (key, ...slots) => void this.counted.push([key, ...slots].join(' ')),
      value: () => undefined,
    };
    const residency = createResidency({ self: 'node-1', nodeNames: () => this.nodeNames, clock, stableMs: 0 });
    const schedule = createSchedule(this.scheduleRows, locks);
    const inbox = createSchedulePort({ schedule, requests: this.requests, residency, clock });
    const rules = createUrlRules({ config });
    const targets = createTargets({
      store: createTargetStore(this.targetRows),
      schedule: inbox,
      config,
      clock,
      locks,
      routeInterval: (url) => rules.routeOf(url)?.renderInterval,
    });
    const queue = createQueue({
      tables: {
        leases: this.leases,
        reports: this.reports,
        breakers: this.breakers,
        guards: this.guards,
        held: this.held,
        control: this.control,
        status: this.status,
      },
      schedule,
      inbox,
      targets,
      pages,
      pageKeys: async (after, limit) =>
        pages
          .keys()
          .filter((key) => key > after)
          .slice(0, limit)
          .map((key) => ({ key, url: key.slice(0, key.lastIndexOf('|')) })),
      rules,
      residency,
      config,
      clock,
      locks,
      buffers: this.#shared,
      metrics,
      logger,
      callbackOrigin: () => 'node-1:9926',
      headersFor: () => undefined,
      random: () => 1,
    });
    return { ...queue, targets, inbox, schedule, residency, die: locks.die };
  }

  /** A Target that is due, as if rendered before when `firstRenderedAt` says so. */
  async due(url: string, target: Partial<Target> = {}, row: Partial<ScheduleRow> = {}): Promise<void> {
    await this.targetRows.put(sampleTarget(url, target));
    const nextRenderTime = this.clock.now() - 1_000;
    await this.scheduleRows.put({ url, nextRenderTime, cadence: DAY, fromSitemap: false, ...row });
  }

  target(url: string): Target | undefined {
    return createTargetStore(this.targetRows).find(url);
  }

  row(url: string): ScheduleRow | undefined {
    return this.scheduleRows.entry(url)?.value;
  }
}

/** A result for the job: a good page unless said otherwise. */
export function resultOf(job: RenderJob, metadata: Partial<JobResultMetadata> = {}, html = '<h1>Shoe</h1>'): JobResult {
  return {
    metadata: {
      id: job.id,
      url: job.url,
      statusCode: 200,
      headers: { 'content-type': 'text/html' },
      renderTime: 100,
      redirectedTo: null,
      isIndexable: true,
      outcome: 'rendered',
      reason: null,
      error: null,
      ...metadata,
    },
    html: Buffer.from(html),
  };
}
