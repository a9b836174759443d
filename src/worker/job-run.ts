import { describeError } from '../errors.ts';
import type { RenderJob } from '../protocol/job.ts';
import type { BrowserPool, Lease } from './browser-pool.ts';
import type { DeviceProfile } from './device-profiles.ts';
import type { Log } from './log.ts';
import { RenderFailure } from './render-failure.ts';
import { renderPage, type PageReport, type RenderParts } from './render-page.ts';
import { failureMessage, pageMessage, type ResultMessage } from './result-message.ts';

/** What the run of a job needs. */
export interface JobRunParts extends RenderParts {
  pool: BrowserPool;
  profiles: ReadonlyMap<string, DeviceProfile>;
  log: Log;
}

/** Time that a second try must have left, ms. */
const RETRY_MIN_MS = 2000;
const MOST_TRIES = 2;

/**
 * Renders a job up to its deadline (the least of the render timeout, the job's own budget and the end of its lease less
 * the report's margin) and makes the message of its result. Never throws. `stop` ends it early.
 */
export async function runJob(job: RenderJob, parts: JobRunParts, stop: AbortSignal): Promise<ResultMessage> {
  const started = parts.now();
  const deadline = jobDeadline(job, started, parts.settings);
  const timer = new AbortController();
  const timeout = setTimeout(
    () => timer.abort(new Error(`the job had ${Math.max(0, deadline - started)} ms`)),
    Math.max(0, deadline - started),
  );
  try {
    const report = await tryRender(job, parts, deadline, AbortSignal.any([timer.signal, stop]));
    return await pageMessage(job, report, parts.now() - started);
  } catch (error) {
    parts.log('debug', 'render failed', { url: job.url, error: describeError(error) });
    return failureMessage(job, error, parts.now() - started);
  } finally {
    clearTimeout(timeout);
  }
}

/** Epoch ms at which the render of a job must have stopped. */
export function jobDeadline(
  job: RenderJob,
  now: number,
  settings: { renderTimeout: number; reportMargin: number },
): number {
  const budget = job.renderBudget && job.renderBudget > 0 ? job.renderBudget : Infinity;
  return Math.min(now + settings.renderTimeout, now + budget, job.expiresAt - settings.reportMargin);
}

async function tryRender(
  job: RenderJob,
  parts: JobRunParts,
  deadline: number,
  signal: AbortSignal,
): Promise<PageReport> {
  const profile = parts.profiles.get(job.deviceType);
  if (!profile)
    throw new RenderFailure(
      'UnknownDevice',
      `the device type ${job.deviceType} is none of ${[...parts.profiles.keys()].join(', ')}`,
      {
        phase: 'open',
      },
    );
  for (let attempt = 1; ; attempt++) {
    const lease = await leaseInTime(parts.pool, signal);
    let suspect = true;
    try {
      const report = await renderPage(lease.context, job, profile, parts, signal);
      suspect = false;
      return report;
    } catch (error) {
      suspect = !(error instanceof RenderFailure) || error.suspect;
      const again = lease.isBrowserLost() && attempt < MOST_TRIES && deadline - parts.now() >= RETRY_MIN_MS;
      if (!again) throw error;
      parts.log('info', 'the browser was lost; the job is tried again', { url: job.url });
    } finally {
      // The result does not wait for the context to close; the pool's close does.
      void lease.release(suspect);
    }
  }
}

/** A browser that comes after the signal is given back. */
async function leaseInTime(pool: BrowserPool, signal: AbortSignal): Promise<Lease> {
  const late = (): RenderFailure =>
    new RenderFailure('DeadlineExceeded', `stopped while it waited for a browser: ${describeError(signal.reason)}`, {
      phase: 'open',
      cause: signal.reason,
    });
  if (signal.aborted) throw late();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(late()), { once: true });
    pool.lease().then((lease) => {
      if (signal.aborted) void lease.release(false);
      else resolve(lease);
    }, reject);
  });
}
