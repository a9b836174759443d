import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { basicAuth, type HarperInstance } from '../../../src/cli/harper-instance.ts';
import type { RenderJob } from '../../../src/protocol/job.ts';

/** What draining the queue gave. */
export interface DrainFigures {
  /** Ms of each claim that was granted anything. */
  readonly claimMs: number[];
  readonly resultMs: number[];
  readonly seconds: number;
  readonly granted: number;
  /** Jobs that were granted a second time. */
  readonly twice: number;
  /** Answers to results other than 204. */
  readonly refused: number;
  /** Longest time, in ms, during which claims were short though enough was due. */
  readonly longestShortMs: number;
}

/** How the fleet behaves. */
export interface DrainOptions {
  /** Jobs that are due; the drain ends when all were granted, or nothing was for 20 s. */
  readonly expected: number;
  readonly claimLimit: number;
  /** Workers that claim. */
  readonly workers: number;
  /** Results that each worker sends at once. */
  readonly senders: number;
}

const STALL_MS = 20_000;
const HTML = gzipSync(
  Buffer.from(`<!DOCTYPE html><title>Shoe</title><h1>Shoe</h1>${'<p>A good shoe for long walks.</p>'.repeat(20)}`),
);

/** Claims and reports until nothing is left, over HTTP as render workers do. */
export async function drain(instance: HarperInstance, options: DrainOptions): Promise<DrainFigures> {
  const fleet = new Fleet(instance, options);
  const start = performance.now();
  await Promise.all(Array.from({ length: options.workers }, () => fleet.work()));
  await fleet.close();
  return { ...fleet.figures, seconds: (fleet.lastGrantAt - start) / 1_000, granted: fleet.seen.size };
}

class Fleet {
  readonly figures = { claimMs: [] as number[], resultMs: [] as number[], twice: 0, refused: 0, longestShortMs: 0 };
  readonly seen = new Set<string>();
  lastGrantAt = performance.now();
  readonly #instance: HarperInstance;
  readonly #options: DrainOptions;
  readonly #agent: Agent;
  readonly #authorization: string;

  constructor(instance: HarperInstance, options: DrainOptions) {
    this.#instance = instance;
    this.#options = options;
    this.#agent = new Agent({ connections: options.workers * (options.senders + 1), pipelining: 1 });
    this.#authorization = basicAuth(instance);
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async work(): Promise<void> {
    const { claimLimit, expected, senders } = this.#options;
    let shortSince: number | undefined;
    while (this.seen.size < expected && performance.now() - this.lastGrantAt < STALL_MS) {
      const jobs = await this.#claim(claimLimit);
      const now = performance.now();
      // Near the end there is not enough for a full claim of every worker.
      const enough = expected - this.seen.size > claimLimit * this.#options.workers * 2;
      if (jobs.length < claimLimit && enough) {
        shortSince ??= now;
        this.figures.longestShortMs = Math.max(this.figures.longestShortMs, now - shortSince);
      } else shortSince = undefined;
      const left = [...jobs];
      const send = async (): Promise<void> => {
        for (let job = left.pop(); job; job = left.pop()) await this.#report(job);
      };
      await Promise.all(Array.from({ length: senders }, send));
      if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #claim(limit: number): Promise<RenderJob[]> {
    const start = performance.now();
    const response = await this.#post('/render_queue/claim', JSON.stringify({ limit }), {
      'content-type': 'application/json',
    });
    const text = await response.text();
    const end = performance.now();
    if (response.status !== 200) throw new Error(`A claim was answered ${response.status}: ${text.slice(0, 300)}`);
    const jobs = JSON.parse(text) as RenderJob[];
    if (jobs.length > 0) {
      this.figures.claimMs.push(end - start);
      this.lastGrantAt = end;
    }
    for (const { url, deviceType } of jobs) {
      const key = `${url}|${deviceType}`;
      if (this.seen.has(key)) this.figures.twice++;
      this.seen.add(key);
    }
    return jobs;
  }

  async #report(job: RenderJob): Promise<void> {
    const metadata = Buffer.from(
      JSON.stringify({
        id: job.id,
        url: job.url,
        statusCode: 200,
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
        renderTime: 1_200,
        redirectedTo: null,
        isIndexable: true,
        outcome: 'rendered',
        reason: null,
        error: null,
      }),
    );
    const start = performance.now();
    const response = await this.#post('/render_queue/job_result', Buffer.concat([metadata, HTML]), {
      'content-type': 'application/octet-stream',
      'x-metadata-size': String(metadata.length),
    });
    await response.text();
    this.figures.resultMs.push(performance.now() - start);
    if (response.status !== 204) this.figures.refused++;
  }

  async #post(
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): Promise<{ status: number; text(): Promise<string> }> {
    const { statusCode, body: answer } = await request(this.#instance.httpUrl + path, {
      method: 'POST',
      body,
      headers: { ...headers, authorization: this.#authorization },
      dispatcher: this.#agent,
    });
    return { status: statusCode, text: () => answer.text() };
  }
}
