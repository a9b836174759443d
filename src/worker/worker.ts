import { lookup } from 'node:dns/promises';
import { isPublicAddress } from '../url/address.ts';
import { createAddressPolicy } from './address-policy.ts';
import { launchBrowser } from './browser-launch.ts';
import { createBrowserPool } from './browser-pool.ts';
import { checkSelectors } from './check-selectors.ts';
import { findChromium } from './chromium-binary.ts';
import { createClaimClient } from './claim-client.ts';
import { deviceProfiles } from './device-profiles.ts';
import { startEgressProxy } from './egress-proxy.ts';
import { parseHostMappings } from './host-mapping.ts';
import { runJobLoop } from './job-loop.ts';
import { runJob, type JobRunParts } from './job-run.ts';
import type { Log } from './log.ts';
import { parsePatterns, parseSelectorRules } from './page-rules.ts';
import type { WorkerSettings } from './settings.ts';
import { sweepProfileFolders } from './profile-folder.ts';
import { workerVersion } from './worker-version.ts';

/** What runs a worker besides its settings. */
export interface WorkerRun {
  /** Ends the worker: it claims no more, finishes and reports what runs (at most `drainTimeout`), then closes its browsers. */
  signal: AbortSignal;
  log: Log;
}

/** A renderer process may use this much more than the limit of its heap before it is stopped. */
const MEMORY_SLACK = 1.25;

/** The two ends of a drain: renders stop `reportMargin` (at most half the drain) before deliveries, so that theirs are reported. */
function drainSteps({ drainTimeout, reportMargin }: WorkerSettings) {
  const renders = new AbortController();
  const deliveries = new AbortController();
  const end = (what: AbortController, after: number): void =>
    void setTimeout(() => what.abort(new Error('the worker stops')), after).unref();
  return {
    renderEnd: renders.signal,
    deliveryEnd: deliveries.signal,
    begin(): void {
      end(renders, drainTimeout - Math.min(reportMargin, drainTimeout / 2));
      end(deliveries, drainTimeout);
    },
  };
}

/**
 * Runs a render worker in this process until `signal`; resolves when its browsers are gone. Rejects with CONFIG_INVALID
 * when no browser can be run or a required selector is none. The settings must have been checked (checkSettings).
 */
export async function runWorker(settings: WorkerSettings, { signal, log }: WorkerRun): Promise<void> {
  const binary = await findChromium(settings.chromiumPath);
  sweepProfileFolders();
  const policy = createAddressPolicy({
    mappings: parseHostMappings(settings.map),
    privateAddresses: settings.privateAddresses,
    isPublicAddress,
    lookup: (host) => lookup(host, { all: true }),
  });
  const proxy = await startEgressProxy(policy, log);
  const pool = createBrowserPool({
    launch: () => launchBrowser(binary, settings, proxy.url),
    recycleAfter: settings.recycleAfter,
    killGrace: settings.killGrace,
    maxRendererBytes: settings.maxPageMemory * MEMORY_SLACK * (1 << 20),
    log,
  });
  const client = createClaimClient({
    user: settings.user,
    password: settings.password,
    timeout: settings.requestTimeout,
    now: Date.now,
  });
  const drain = drainSteps(settings);
  const onSignal = (): void => {
    log('info', 'draining: no more jobs are claimed');
    drain.begin();
  };
  if (signal.aborted) onSignal();
  else signal.addEventListener('abort', onSignal, { once: true });
  const run: JobRunParts = {
    settings,
    policy,
    pool,
    log,
    guesses: {
      challengeTitles: parsePatterns('challengeTitles', settings.challengeTitles),
      soft404Titles: parsePatterns('soft404Titles', settings.soft404Titles),
      minText: settings.minText,
    },
    selectorRules: parseSelectorRules(settings.requireSelectors),
    profiles: deviceProfiles(settings, { chrome: binary.major, worker: workerVersion() }),
    now: Date.now,
  };
  log('info', 'the render worker runs', { servers: settings.servers.join(','), chromium: binary.major });
  try {
    await checkSelectors(run.selectorRules, pool, log);
    await runJobLoop(
      {
        servers: settings.servers,
        concurrency: settings.concurrency,
        claimLimit: settings.claimLimit,
        pollInterval: settings.pollInterval,
        pollMaxInterval: settings.pollMaxInterval,
        client,
        ready: () => pool.warm(),
        run: (job) => runJob(job, run, drain.renderEnd),
        deliveryEnd: drain.deliveryEnd,
        log,
        now: Date.now,
        random: Math.random,
      },
      signal,
    );
  } finally {
    await pool.close();
    await Promise.all([proxy.close(), client.close()]);
  }
}
