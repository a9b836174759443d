import { createAdminHandler } from './admin/router.ts';
import { configRoutes } from './admin/config.ts';
import { createHealthHandler } from './admin/health.ts';
import { metricsRoutes } from './admin/metrics.ts';
import { queueRoutes } from './admin/queue.ts';
import { createTargetHandler } from './admin/target.ts';
import { suppressionRoutes } from './admin/suppressions.ts';
import { createBotHandler } from './bot/bot-handler.ts';
import { NO_DEMAND } from './bot/demand-recorder.ts';
import { createOriginClient, type OriginClient } from './bot/origin/origin-client.ts';
import { createResidency } from './cluster/residency.ts';
import type { ConfigStore } from './config/config-store.ts';
import { describeError } from './errors.ts';
import { nodeHttpAddress } from './harper/address.ts';
import type { Clock } from './harper/clock.ts';
import { createLocks, createSharedBuffers } from './harper/coordination.ts';
import { createBlobs, harperGlobals } from './harper/globals.ts';
import type { HttpHandler } from './harper/http.ts';
import type { Logger } from './harper/logger.ts';
import { createMetrics } from './metrics/emitter.ts';
import { createPages } from './page/pages.ts';
import { createResultReader } from './protocol/check-result.ts';
import { createUrlRules } from './queue/config-url-rules.ts';
import { createCoverage } from './queue/coverage.ts';
import { createQueueHandlers } from './queue/http.ts';
import { createKeeper } from './queue/keeper.ts';
import { createQueue } from './queue/queue.ts';
import { createSchedulePort } from './queue/schedule-port.ts';
import { createSchedule } from './queue/schedule.ts';
import { openTables } from './tables.ts';
import { createTargetResource } from './target/resource.ts';
import { createEligibleUrl } from './target/eligible-url.ts';
import { createTargetStore } from './target/store.ts';
import { createTargets } from './target/targets.ts';
import { parseCacheKey } from './url/cache-key.ts';

/** What this thread serves with. */
export interface Services {
  /** Answers crawlers; to be registered before Harper's authentication. */
  readonly bot: HttpHandler;
  /** Queue, admin API and health check: ordinary handlers. */
  readonly others: readonly HttpHandler[];
  start(): Promise<void>;
  /** Ends the jobs; what is being answered goes on. */
  stop(): Promise<void>;
}

/** Builds every service of this thread from the configuration. */
export function createServices({ config, clock, logger }: Foundation): Services {
  const { server } = harperGlobals();
  const residency = createResidency({
    self: server.hostname,
    nodeNames: () => (server.nodes ?? []).map((node) => node.name),
    clock,
  });
  const tables = openTables(residency);
  const locks = createLocks(clock);
  const metrics = createMetrics(server.recordAnalytics, (error) => logger.debug(`A metric was lost: ${String(error)}`));
  const base = { config, clock, logger, locks, metrics, residency };
  const pages = createPages({ ...base, table: tables.pages, blobs: createBlobs() });
  const schedule = createSchedule(tables.schedule, locks);
  const inbox = createSchedulePort({ ...base, schedule, requests: tables.requests });
  const rules = createUrlRules({ config });
  const targets = createTargets({
    ...base,
    store: createTargetStore(tables.targets),
    schedule: inbox,
    routeInterval: (url) => rules.routeOf(url)?.renderInterval,
  });
  const origin = createOriginClient({ config });
  const queue = createQueue({
    ...base,
    tables,
    schedule,
    inbox,
    targets,
    pages,
    rules,
    buffers: createSharedBuffers(),
    pageKeys: async (after, limit) =>
      (await pages.keysAfter(after, limit)).map((key) => ({ key, url: parseCacheKey(key)?.url ?? key })),
    callbackOrigin: () => config.current().render.callbackOrigin || nodeHttpAddress(),
    headersFor: (url) => bypassHeaders(config, origin, url),
  });
  const coverage = createCoverage({ ...base, targets, pages, devices: () => config.current().render.devices });
  const coverageKeeper = createKeeper({
    lock: 'coverage|keeper',
    locks,
    clock,
    onError: (what, error) => logger.error(`Coverage, ${what}: ${describeError(error)}`),
    tasks: [
      {
        name: 'measuring',
        everyMs: () => config.current().analytics.coverageInterval,
        run: (isStopped) => coverage.measure(isStopped),
      },
    ],
  });
  const bot = createBotHandler({ ...base, pages, targets, minter: targets, origin, demand: NO_DEMAND, gates: [] });
  const targetResource = createTargetResource({
    targets,
    schedule: inbox,
    removePages: pages.remove,
    canonical: createEligibleUrl(config),
  });
  const health = createHealth(config, residency);
  const routes = [
    ...metricsRoutes(),
    ...configRoutes(config),
    ...queueRoutes({ queue, targets, node: server.hostname, thread: server.workerIndex ?? 0 }),
    ...suppressionRoutes(queue.heldVerdicts),
  ];
  return {
    bot,
    others: [
      createHealthHandler(health.reason),
      createQueueHandlers({ queue, reader: createResultReader(), config, logger }),
      createAdminHandler(routes, logger),
      createTargetHandler(targetResource, logger),
    ],
    async start() {
      await queue.start();
      coverageKeeper.start();
      health.started();
    },
    async stop() {
      health.draining();
      await Promise.all([queue.stop(), coverageKeeper.stop()]);
      residency.stop();
    },
  };
}

/** What the services stand on. */
export interface Foundation {
  readonly config: ConfigStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

function bypassHeaders(config: ConfigStore, origin: OriginClient, url: string): Record<string, string> | undefined {
  const { bypassHeader, bypassToken } = config.current().origin;
  if (bypassToken === '') return undefined;
  const { protocol, host } = new URL(url);
  const { trusted } = origin.upstreamOf(protocol === 'http:' ? 'http' : 'https', host);
  return trusted ? { [bypassHeader]: bypassToken } : undefined;
}

function createHealth(config: ConfigStore, residency: { isStable(): boolean }) {
  let phase: 'starting' | 'serving' | 'draining' = 'starting';
  return {
    started: () => void (phase = 'serving'),
    draining: () => void (phase = 'draining'),
    reason: (): string | undefined => {
      if (phase === 'draining') return 'it drains';
      if (phase === 'starting') return 'it starts';
      if (!residency.isStable()) return 'the list of nodes has not settled';
      return config.current().domains.length === 0 ? 'no host is served: `domains` is empty' : undefined;
    },
  };
}
