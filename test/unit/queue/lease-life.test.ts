import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobResultMetadata, RenderJob } from '../../../src/protocol/job.ts';
import { QueueNode, resultOf, type QueueThread } from './queue-node.ts';

const DEVICES = ['desktop', 'mobile'];
const URLS = Array.from({ length: 4 }, (_unused, index) => `https://shop.test/${index}`);

type Step =
  | { do: 'claim'; thread: number; limit: number }
  | { do: 'result'; thread: number; pick: number; outcome: keyof typeof OUTCOMES }
  | { do: 'turn'; seconds: number }
  | { do: 'sweep'; thread: number }
  | { do: 'mark'; thread: number; url: number; mark: 'changed' | 'urgent' }
  | { do: 'mint'; thread: number; url: number }
  | { do: 'crash'; thread: number };

const OUTCOMES = {
  rendered: {},
  noindex: { outcome: 'non-indexable', reason: 'noindex', isIndexable: false },
  gone: { outcome: 'error', reason: 'http-error', statusCode: 410 },
  down: { outcome: 'error', reason: 'http-error', statusCode: 503 },
} as const satisfies Record<string, Partial<JobResultMetadata>>;

const thread = fc.constantFrom(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('claim' as const), thread, limit: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('result' as const),
      thread,
      pick: fc.nat(20),
      outcome: fc.constantFrom(...(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[])),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('turn' as const), seconds: fc.constantFrom(1, 30, 121, 90_000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const), thread }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mark' as const),
      thread,
      url: fc.nat(3),
      mark: fc.constantFrom('changed' as const, 'urgent' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mint' as const), thread, url: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), thread }) },
);

/** Follows what a fleet sees, and holds it against what the queue promises. */
class Observer {
  readonly node = new QueueNode({ render: { leaseTime: 120_000 } });
  readonly threads: QueueThread[] = [this.node.thread(), this.node.thread()];
  readonly out: RenderJob[] = [];
  /** Jobs by what they are for: granted, not reported and not ended. */
  readonly running = new Map<string, RenderJob>();

  async start(): Promise<void> {
    for (const url of URLS) await this.node.due(url);
  }

  async take(steps: readonly Step[]): Promise<void> {
    for (const one of steps) await this.#do(one);
  }

  async #do(one: Step): Promise<void> {
    const { node, threads } = this;
    switch (one.do) {
      case 'claim':
        return this.#granted(await threads[one.thread]!.claim(one.limit), one.limit);
      case 'result': {
        const job = this.out[one.pick % Math.max(this.out.length, 1)];
        if (!job) return;
        const fate = await threads[one.thread]!.take(resultOf(job, OUTCOMES[one.outcome]));
        if (fate === 'taken') expect(job.expiresAt).toBeGreaterThan(node.clock.now());
        this.running.delete(keyOf(job));
        return;
      }
      case 'turn':
        node.clock.jump(one.seconds * 1_000);
        return;
      case 'sweep':
        await threads[one.thread]!.expiry.sweep();
        return;
      case 'mark':
        await threads[one.thread]!.inbox.fileDue(URLS[one.url]!, one.mark);
        return;
      case 'mint':
        await threads[one.thread]!.targets.mint({ url: URLS[one.url]!, source: 'discovery' });
        return;
      case 'crash':
        threads[one.thread]!.die();
        threads[one.thread] = node.thread();
        return;
    }
  }

  #granted(jobs: readonly RenderJob[], limit: number): void {
    expect(jobs.length).toBeLessThanOrEqual(limit);
    for (const job of jobs) {
      const before = this.running.get(keyOf(job));
      // A result that was ignored because of a change mark, or taken for another device, ends the older lease early.
      const superseded = before && this.#endedEarly(before);
      if (before && !superseded) expect(before.expiresAt).toBeLessThanOrEqual(this.node.clock.now());
      this.running.set(keyOf(job), job);
      this.out.push(job);
    }
  }

  /** Whether the lease of the job was settled before its time: then the fleet's result is ignored, so the job is nobody's. */
  #endedEarly(job: RenderJob): boolean {
    const settled = this.node.row(job.url)?.settledLease;
    return this.node.leases
      .rows()
      .some((batch) => batch.jobs.some((one) => one.url === job.url && one.lease === settled));
  }

  /** Every Target is scheduled (its lease then lies in RenderLease), and every row has a Target. */
  nothingLost(): void {
    const targets = this.node.targetRows.rows().map((target) => target.url);
    const rows = this.node.scheduleRows.rows().map((row) => row.url);
    expect(rows.sort()).toEqual(targets.sort());
  }
}

function keyOf(job: RenderJob): string {
  return `${job.url}|${job.deviceType}`;
}

describe('the life of leases', { timeout: 60_000 }, () => {
  it('over two threads, whatever comes in whatever order: no job is held twice, and nothing is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const observer = new Observer();
        await observer.start();
        await observer.take(steps);
        observer.nothingLost();
        // At the end of all leases, what is due is granted: a URL that nobody can get is as good as lost.
        observer.node.clock.jump(400 * 86_400_000);
        const [first] = observer.threads;
        await first!.expiry.sweep();
        observer.node.clock.jump(400 * 86_400_000);
        const jobs = await first!.claim(100);
        expect(jobs.map(keyOf).sort()).toEqual(
          observer.node.targetRows
            .rows()
            .flatMap(({ url }) => DEVICES.map((device) => `${url}|${device}`))
            .sort(),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('claims and results of two threads at once hand out nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 4, maxLength: 12 }), async (limits) => {
        const node = new QueueNode();
        for (let index = 0; index < 20; index++) await node.due(`https://shop.test/${index}`);
        node.leases.commit = () => new Promise((resolve) => setImmediate(resolve));
        const threads = [node.thread(), node.thread()];
        const granted: string[] = [];
        await Promise.all(
          limits.map(async (limit, index) => {
            const own = threads[index % 2]!;
            for (const job of await own.claim(limit)) {
              granted.push(keyOf(job));
              expect(await threads[(index + 1) % 2]!.take(resultOf(job))).toBe('taken');
            }
          }),
        );
        expect(new Set(granted).size).toBe(granted.length);
      }),
      { numRuns: 30 },
    );
  });
});
