/**
 * Runs inside the instance that the bench boots: the product's queue over its real tables and HTTP handler, and below /bench what
 * fills and counts the tables. Bulk writes go straight to the tables, as no API writes a million rows.
 */
import { createResidency } from '../../../src/cluster/residency.ts';
import { createBlobs, harperGlobals } from '../../../src/harper/globals.ts';
import { createSystemClock } from '../../../src/harper/clock.ts';
import { createLocks, createSharedBuffers } from '../../../src/harper/coordination.ts';
import type { HttpHandler } from '../../../src/harper/http.ts';
import type { Logger } from '../../../src/harper/logger.ts';
import { createMetrics } from '../../../src/metrics/emitter.ts';
import { createPages } from '../../../src/page/pages.ts';
import { createResultReader } from '../../../src/protocol/check-result.ts';
import { createUrlRules } from '../../../src/queue/config-url-rules.ts';
import { createQueueHandlers } from '../../../src/queue/http.ts';
import { createQueue } from '../../../src/queue/queue.ts';
import { createSchedule } from '../../../src/queue/schedule.ts';
import { createSchedulePort } from '../../../src/queue/schedule-port.ts';
import type { ScheduleRow } from '../../../src/queue/schedule-row.ts';
import { openTables, type Tables } from '../../../src/tables.ts';
import { createTargetStore } from '../../../src/target/store.ts';
import type { Target } from '../../../src/target/target.ts';
import { createTargets } from '../../../src/target/targets.ts';
import { sampleTarget } from '../../unit/fakes/sample-target.ts';
import { testConfig } from '../../unit/fakes/config.ts';

const DAY = 86_400_000;
/** Rows a transaction: more would hold up other requests of the thread. */
const STEP = 200;

/** Starts the app on this thread. */
export function startApp(): void {
  const { server, logger } = harperGlobals();
  const log: Logger = {
    error: (message) => logger.error(message),
    warn: (message) => logger.warn(message),
    info: () => undefined,
    debug: () => undefined,
  };
  const clock = createSystemClock((error) => log.error(String(error)));
  const config = testConfig({
    domains: ['shop.test'],
    render: { leaseTime: 120_000, interval: DAY },
    ingress: { routes: [{ match: 'prefix', path: '/', mode: 'prerender', queryParams: ['*'] }] },
  });
  const residency = createResidency({ self: server.hostname, nodeNames: () => [], clock, stableMs: 0 });
  const tables = openTables(residency);
  const locks = createLocks(clock);
  const schedule = createSchedule(tables.schedule, locks);
  const inbox = createSchedulePort({ schedule, requests: tables.requests, residency, clock });
  const pages = createPages({ table: tables.pages, blobs: createBlobs(), clock, config, logger: log });
  const targets = createTargets({
    store: createTargetStore(tables.targets),
    schedule: inbox,
    config,
    clock,
    locks,
    routeInterval: () => undefined,
  });
  const queue = createQueue({
    tables,
    schedule,
    inbox,
    targets,
    pages,
    pageKeys: async () => [],
    rules: createUrlRules({ config }),
    residency,
    config,
    clock,
    locks,
    buffers: createSharedBuffers(),
    metrics: createMetrics(
      (...event) => server.recordAnalytics(...event),
      () => undefined,
    ),
    logger: log,
    callbackOrigin: () => 'localhost',
    headersFor: () => undefined,
  });
  server.http(createQueueHandlers({ queue, reader: createResultReader(), config, logger: log }));
  server.http(benchHandler(tables), { runFirst: true });
  void queue.start();
}

/** `/bench/fill?from=0&to=1000`, `/bench/age?…`, `/bench/due?…`: writes rows from..to; `/bench/thread` names the thread. */
function benchHandler(tables: Tables): HttpHandler {
  return async (request, next) => {
    if (!request.pathname.startsWith('/bench/')) return next(request);
    const query = new URL(request.url, 'http://localhost').searchParams;
    const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
    const action = request.pathname.slice('/bench/'.length);
    if (action === 'fill') await eachStep(from, to, (urls) => tables.targets.write(urls.map(targetOf)));
    if (action === 'age')
      await eachStep(from, to, (urls) => tables.schedule.write(urls.map((url) => rowOf(url, aheadBy()))));
    if (action === 'due')
      await eachStep(from, to, (urls) => tables.schedule.write(urls.map((url) => rowOf(url, -aheadBy()))));
    return { status: 200, headers: {}, body: String(harperGlobals().server.workerIndex) };
  };
}

/** An hour to a day from now. */
function aheadBy(): number {
  return Math.round(DAY / 24 + Math.random() * DAY);
}

async function eachStep(from: number, to: number, write: (urls: string[]) => Promise<void>): Promise<void> {
  for (let start = from; start < to; start += STEP) {
    const count = Math.min(STEP, to - start);
    await write(Array.from({ length: count }, (_unused, index) => urlOf(start + index)));
  }
}

/** Spread over the key space, as real URLs are. */
function urlOf(index: number): string {
  const id = (Math.imul(index, 2_654_435_761) >>> 0).toString(36);
  return `https://shop.test/product/prd-${id}-${index}/a-decorative-slug-of-usual-length.jsp`;
}

function rowOf(url: string, offset: number): ScheduleRow {
  return {
    url,
    nextRenderTime: Date.now() + offset,
    cadence: DAY,
    fromSitemap: false,
    changedAt: null,
    urgentAt: null,
    targetMissingSince: null,
    settledLease: null,
    failures: 0,
    expiredLeases: 0,
  };
}

function targetOf(url: string): Target {
  return sampleTarget(url, { createdAt: Date.now() - 30 * DAY, firstRenderedAt: Date.now() - 20 * DAY });
}

if (harperGlobals().server.workerIndex !== undefined) startApp();
