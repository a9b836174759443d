import { describeError } from '../errors.ts';
import type { RenderJob } from '../protocol/job.ts';
import { resultServer } from './callback-origin.ts';
import type { ClaimClient } from './claim-client.ts';
import type { Log } from './log.ts';
import type { ResultMessage } from './result-message.ts';

/** What the loop needs. */
export interface JobLoopParts {
  servers: readonly string[];
  concurrency: number;
  claimLimit: number;
  /** Ms after an empty claim; doubles up to `pollMaxInterval`. */
  pollInterval: number;
  pollMaxInterval: number;
  client: ClaimClient;
  /** Resolves when a browser is up: no job is claimed that could not be rendered. */
  ready: () => Promise<void>;
  /** Never throws. */
  run: (job: RenderJob) => Promise<ResultMessage>;
  /** The end of the drain: what has not been delivered by then is given up. */
  deliveryEnd: AbortSignal;
  log: Log;
  now: () => number;
  random: () => number;
}

interface Source {
  server: string;
  nextAt: number;
  wait: number;
  failing: boolean;
}

/** Claims, renders and reports until `signal`; then resolves when the last running job has reported. */
export async function runJobLoop(parts: JobLoopParts, signal: AbortSignal): Promise<void> {
  const sources: Source[] = parts.servers.map((server) => ({
    server,
    nextAt: 0,
    wait: parts.pollInterval,
    failing: false,
  }));
  const running = new Set<Promise<void>>();
  const bell = createBell(signal);
  while (!signal.aborted) {
    const free = parts.concurrency - running.size;
    const source = dueSource(sources);
    const wait = source.nextAt - parts.now();
    if (free <= 0) await bell.wait(null);
    else if (wait > 0) await bell.wait(wait);
    else
      for (const job of await claimFrom(source, free, parts)) {
        const work = workOn(job, source.server, parts).finally(() => {
          running.delete(work);
          bell.ring();
        });
        running.add(work);
      }
  }
  await Promise.all(running);
}

/** The source that is due first: with several due, the one that waited longest, so that none is starved. */
function dueSource(sources: readonly Source[]): Source {
  const [first, ...rest] = sources;
  if (!first) throw new Error('no server to claim from');
  return rest.reduce((best, source) => (source.nextAt < best.nextAt ? source : best), first);
}

async function claimFrom(source: Source, free: number, parts: JobLoopParts): Promise<RenderJob[]> {
  let jobs: RenderJob[] = [];
  try {
    await parts.ready();
    jobs = await parts.client.claim(source.server, Math.min(free, parts.claimLimit));
    if (source.failing) parts.log('info', 'claims are answered again', { server: source.server });
    source.failing = false;
  } catch (error) {
    // Said once, not with each of the tries that follow.
    parts.log(source.failing ? 'debug' : 'error', 'no jobs can be claimed; trying on', {
      server: source.server,
      error: describeError(error),
    });
    source.failing = true;
  }
  if (jobs.length > 0) {
    source.wait = parts.pollInterval;
    source.nextAt = parts.now();
  } else {
    source.nextAt = parts.now() + source.wait * (0.75 + parts.random() / 2);
    source.wait = Math.min(source.wait * 2, parts.pollMaxInterval);
  }
  return jobs;
}

async function workOn(job: RenderJob, server: string, parts: JobLoopParts): Promise<void> {
  try {
    const message = await parts.run(job);
    const target = resultServer(job.callbackOrigin, server, parts.servers);
    const delivery = await parts.client.deliver(target, message, job.expiresAt, parts.deliveryEnd);
    const { outcome, reason, statusCode, renderTime } = message.metadata;
    const fields = { url: job.url, device: job.deviceType, outcome, reason, status: statusCode, ms: renderTime };
    if (delivery.delivered) parts.log('info', 'rendered', { ...fields, error: message.metadata.error?.message });
    else parts.log('error', 'a result could not be delivered', { ...fields, server: target, why: delivery.reason });
  } catch (error) {
    parts.log('error', 'a job failed in an unexpected way', { url: job.url, error: describeError(error) });
  }
}

interface Bell {
  ring(): void;
  /** Until the bell rings, `ms` have passed (null: no limit) or the signal is given. */
  wait(ms: number | null): Promise<void>;
}

function createBell(signal: AbortSignal): Bell {
  let wake: (() => void) | null = null;
  let rung = false;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  signal.addEventListener('abort', ring, { once: true });
  return {
    ring,
    async wait(ms) {
      if (!rung && !signal.aborted)
        await new Promise<void>((resolve) => {
          const timer = ms === null ? undefined : setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      wake = null;
      rung = false;
    },
  };
}
