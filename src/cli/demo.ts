import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clusterAddresses, startCluster } from './cluster.ts';
import { configLines, readConfigReport } from './config-report.ts';
import {
  choosePorts,
  loadCredentials,
  lockDataDirectory,
  missingNodesWarning,
  openDataDirectory,
} from './data-directory.ts';
import type { ChosenPorts, StoredCredentials } from './data-directory.ts';
import { documentText, emptyDocument, optionsOf, readDocument, withShop, workerRouting } from './demo-config.ts';
import type { HostDocument } from './demo-config.ts';
import type { StartFlags } from './flags.ts';
import type { HarperInstance } from './harper-instance.ts';
import { writeHostApp } from './host-app.ts';
import type { HostApp } from './host-app.ts';
import { keepRunning } from './keep-running.ts';
import type { Kept } from './keep-running.ts';
import { showLifeOfPage } from './life-of-a-page.ts';
import type { ManagedProcess } from './processes.ts';
import { isUp, noHostAdvice, noHostReason } from './readiness.ts';
import { createReporter } from './report.ts';
import type { Reporter } from './report.ts';
import { startShopProcess } from './shop-process.ts';
import type { ShopProcess } from './shop-process.ts';
import { waitForStop } from './stop-signals.ts';
import { followConfig } from './follow-config.ts';
import { ensureWorkerUser, startWorkerProcess } from './worker-process.ts';

const HEALTH_PATH = '/prerender_health';

/** Everything that has been started, newest last: it is stopped in the opposite order. */
type Started = { stop: () => Promise<unknown> }[];

interface Context {
  flags: StartFlags;
  document: HostDocument;
  dataDir: string;
  ports: ChosenPorts;
  credentials: StoredCredentials;
  reporter: Reporter;
  signal: AbortSignal;
  started: Started;
}

/**
 * Starts what the flags ask for, shows the life of a page, serves until SIGINT or SIGTERM, and stops everything. Returns
 * the exit code. Throws CliError when something cannot be started; what had been is stopped by then.
 */
export async function runUntilStopped(flags: StartFlags): Promise<number> {
  const document = flags.config === undefined ? emptyDocument() : readDocument(flags.config);
  const reporter = createReporter(flags.json);
  const stop = waitForStop();
  const dataDir = openDataDirectory(flags.data);
  const unlock = lockDataDirectory(dataDir);
  const started: Started = [];
  try {
    // Before anything is said, written or started: a port that is taken ends the command.
    const ports = await choosePorts(dataDir, {
      addresses: clusterAddresses(flags.nodes),
      asked: flags.port,
      withShop: flags.shop,
    });
    const credentials = loadCredentials(dataDir);
    await start({ flags, document, dataDir, ports, credentials, reporter, signal: stop.signal, started });
    if (!stop.signal.aborted) reporter.say('\nServing. Ctrl-C stops everything.');
    await stop.asked;
    reporter.say('\nStopping …');
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const one of started.toReversed()) await one.stop();
    unlock();
  }
  return 0;
}

async function start(context: Context): Promise<void> {
  const { flags, document, dataDir, reporter, signal, started } = context;
  const missing = missingNodesWarning(dataDir, flags.nodes);
  for (const warning of [...context.ports.warnings, ...(missing === undefined ? [] : [missing])])
    reporter.warn(warning);
  const shop = flags.shop ? await startShop(context) : undefined;
  const shopOrigin = shop?.current().origin;
  const app = writeHostApp(join(dataDir, 'app'), {});
  app.writeConfig(documentText(document, shopOrigin));
  reporter.progress(`Starting Harper in ${dataDir} …`);
  const nodes = await startNodes(context, app);
  const [first] = nodes;
  if (flags.config !== undefined && first) {
    const readReport = () => readConfigReport(first.current());
    started.push(followConfig({ file: flags.config, app, shopOrigin, readReport, say: reporter.say }));
  }
  const worker = flags.renderer ? await startWorker(context, nodes, shopOrigin) : undefined;
  reporter.started({
    dataDir,
    nodes: nodes.map((node) => node.current()),
    credentials: context.credentials,
    shop,
    worker,
  });
  if (first) await sayProblems(context, first.current());
  if (!shop || !first || signal.aborted) return;
  try {
    const life = await showLifeOfPage({
      instance: first.current(),
      shop: shop.current(),
      rendering: worker !== undefined,
      say: reporter.say,
      signal,
    });
    reporter.tryIt(life.address);
  } catch (error) {
    reporter.say(`The life of a page could not be shown: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What keeps the node from serving, and what is wrong or doubtful about its configuration. */
async function sayProblems({ flags, reporter }: Context, instance: HarperInstance): Promise<void> {
  try {
    const health = await instance.request(HEALTH_PATH);
    const reason = noHostReason({ status: health.status, text: await health.text() });
    const lines = configLines(await readConfigReport(instance));
    if (reason !== undefined || lines.length > 0) reporter.say('');
    if (reason !== undefined) reporter.warn(noHostAdvice(reason, flags.config));
    lines.forEach(reporter.say);
  } catch (error) {
    reporter.warn(
      `The configuration could not be asked for: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function startShop(context: Context): Promise<Kept<ShopProcess>> {
  const { ports, reporter, signal, started } = context;
  const shop = keepRunning({
    name: 'The sample shop',
    first: await startShopProcess({ port: ports.shop, signal }),
    // On the same port, since the options name it.
    again: (last, stopped) => startShopProcess({ port: Number(new URL(last.origin).port), signal: stopped }),
    say: reporter.say,
  });
  started.push(shop);
  return shop;
}

async function startNodes(context: Context, app: HostApp): Promise<Kept<HarperInstance>[]> {
  const { flags, dataDir, ports, credentials, reporter, signal, started } = context;
  const instances = await startCluster({
    nodes: flags.nodes,
    appDirOf: () => app.dir,
    dataDir,
    ports: ports.ports,
    user: credentials.user,
    password: credentials.password,
    threads: flags.threads,
    readyPath: HEALTH_PATH,
    isReady: isUp,
    signal,
  });
  const nodes = instances.map((first) =>
    keepRunning({
      name: `Harper at ${first.address}`,
      first,
      again: (last, stopped) => last.restart({ signal: stopped }),
      say: reporter.say,
    }),
  );
  started.push({ stop: () => Promise.all(nodes.map((node) => node.stop())) });
  return nodes;
}

async function startWorker(
  context: Context,
  nodes: readonly Kept<HarperInstance>[],
  shopOrigin: string | undefined,
): Promise<Kept<ManagedProcess> | undefined> {
  const { document, dataDir, credentials, reporter, started } = context;
  const [first] = nodes;
  if (!first) return undefined;
  await ensureWorkerUser(first.current(), credentials.worker);
  const options = shopOrigin === undefined ? optionsOf(document) : withShop(optionsOf(document), shopOrigin);
  const home = join(dataDir, 'worker');
  const run = () => {
    mkdirSync(home, { recursive: true });
    const log = join(home, 'worker.log');
    return startWorkerProcess({
      servers: nodes.map((node) => node.current().httpUrl),
      credentials: credentials.worker,
      routing: workerRouting(options),
      home,
      onLine: (line) => appendFileSync(log, `${line}\n`),
    });
  };
  rmSync(join(home, 'worker.log'), { force: true });
  const worker = keepRunning({ name: 'The render worker', first: run(), again: async () => run(), say: reporter.say });
  started.push(worker);
  return worker;
}
