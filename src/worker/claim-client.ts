import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { PrerenderError, describeError } from '../errors.ts';
import type { RenderJob } from '../protocol/job.ts';
import type { ResultMessage } from './result-message.ts';

/** How a result fared: delivered, or given up with the reason. */
export type Delivery = { delivered: true } | { delivered: false; reason: string };

/** Talks to the render queue of Harper nodes. */
export interface ClaimClient {
  /** Asks a node for up to `limit` jobs. Throws with the status and the answer when it refuses. */
  claim(server: string, limit: number): Promise<RenderJob[]>;
  /**
   * Delivers a result to a node. 429, 502, 503, 504 and connection errors are tried again with back-off until `until`
   * (epoch ms) or `stop`; any other answer than 204 is given up. Never throws.
   */
  deliver(server: string, message: ResultMessage, until: number, stop: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}

/** What the client needs. */
export interface ClaimClientParts {
  user: string;
  password: string;
  /** Ms that one request may take. */
  timeout: number;
  now: () => number;
}

const RETRIED = new Set([429, 502, 503, 504]);
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5000;
const ANSWER_LIMIT = 10 << 20;

/** A client with Basic authentication over kept-alive connections. */
export function createClaimClient(parts: ClaimClientParts): ClaimClient {
  const dispatcher = new Agent({
    headersTimeout: parts.timeout,
    bodyTimeout: parts.timeout,
    maxResponseSize: ANSWER_LIMIT,
  });
  const authorization =
    parts.user === ''
      ? {}
      : { authorization: `Basic ${Buffer.from(`${parts.user}:${parts.password}`).toString('base64')}` };

  const post = async (
    server: string,
    path: string,
    headers: Record<string, string>,
    body: Buffer,
    stop?: AbortSignal,
  ): Promise<{ status: number; text: string }> => {
    const late = AbortSignal.timeout(parts.timeout);
    const answer = await request(new URL(path, server), {
      method: 'POST',
      dispatcher,
      headers: { accept: 'application/json', ...authorization, ...headers },
      body,
      signal: stop ? AbortSignal.any([late, stop]) : late,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };

  return {
    async claim(server, limit) {
      const body = Buffer.from(JSON.stringify({ limit }));
      const { status, text } = await post(server, '/render_queue/claim', { 'content-type': 'application/json' }, body);
      if (status !== 200) throw new Error(`the claim was answered with ${status}: ${text.slice(0, 300)}`);
      return parseJobs(text);
    },
    async deliver(server, message, until, stop) {
      const headers = {
        'content-type': 'application/octet-stream',
        'x-metadata-size': String(message.metadataSize),
      };
      let wait = FIRST_RETRY_MS;
      for (;;) {
        const reason = await attempt(() => post(server, '/render_queue/job_result', headers, message.body, stop));
        if (reason === null) return { delivered: true };
        // Jitter, so that workers do not come back all at once.
        const pause = wait * (0.5 + Math.random());
        if (!reason.retry || stop.aborted || parts.now() + pause >= until)
          return { delivered: false, reason: reason.text };
        // Woken early, the next try fails at once with the reason of the stop.
        await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
        wait = Math.min(wait * 2, LONGEST_RETRY_MS);
      }
    },
    close: () => dispatcher.close(),
  };
}

async function attempt(
  post: () => Promise<{ status: number; text: string }>,
): Promise<{ retry: boolean; text: string } | null> {
  try {
    const { status, text } = await post();
    if (status === 204) return null;
    return { retry: RETRIED.has(status), text: `answered with ${status}: ${text.slice(0, 300)}` };
  } catch (error) {
    return { retry: true, text: describeError(error) };
  }
}

/** The jobs of a claim's answer. Throws CLAIM_INVALID that says what is wrong with it. */
export function parseJobs(text: string): RenderJob[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new PrerenderError('CLAIM_INVALID', { reason: 'the answer is not JSON' }, { cause: error });
  }
  if (!Array.isArray(parsed))
    throw new PrerenderError('CLAIM_INVALID', { reason: 'the answer is not an array of jobs' });
  return parsed.map((job: unknown, index) => {
    if (isJob(job)) return job;
    throw new PrerenderError('CLAIM_INVALID', {
      reason: `job ${index} of the answer lacks a field or has one of another type`,
    });
  });
}

function isJob(value: unknown): value is RenderJob {
  if (typeof value !== 'object' || value === null) return false;
  const job = value as Partial<Record<keyof RenderJob, unknown>>;
  return (
    typeof job.id === 'string' &&
    typeof job.url === 'string' &&
    URL.canParse(job.url) &&
    typeof job.deviceType === 'string' &&
    typeof job.expiresAt === 'number' &&
    typeof job.callbackOrigin === 'string' &&
    (job.renderBudget === undefined || job.renderBudget === null || typeof job.renderBudget === 'number') &&
    (job.headers === undefined || job.headers === null || isTextRecord(job.headers))
  );
}

function isTextRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string');
}
