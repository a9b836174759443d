import { describe, expect, it } from 'vitest';
import type { RenderJob } from '../../../src/protocol/job.ts';
import type { Lease } from '../../../src/worker/browser-pool.ts';
import { deviceProfiles } from '../../../src/worker/device-profiles.ts';
import { jobDeadline, runJob, type JobRunParts } from '../../../src/worker/job-run.ts';
import { defaultSettings } from '../../../src/worker/settings.ts';

const job = (part: Partial<RenderJob>): RenderJob => ({
  id: '',
  url: '',
  deviceType: '',
  expiresAt: 100_000,
  callbackOrigin: '',
  isFromSitemap: false,
  ...part,
});

describe('the deadline of a job', () => {
  const settings = { renderTimeout: 30_000, reportMargin: 2000 };
  it('is the least of timeout, budget and the end of the lease less the margin', () => {
    expect(jobDeadline(job({}), 1000, settings)).toBe(31_000);
    expect(jobDeadline(job({ renderBudget: 5000 }), 1000, settings)).toBe(6000);
    expect(jobDeadline(job({ expiresAt: 10_000 }), 1000, settings)).toBe(8000);
    expect(jobDeadline(job({ renderBudget: 0 }), 1000, settings)).toBe(31_000);
  });
});

const parts = (lease: () => Promise<Lease>): JobRunParts => ({
  settings: defaultSettings(),
  policy: { mappedScheme: () => null, resolve: () => Promise.reject(new Error('not reached')) },
  guesses: { challengeTitles: [], soft404Titles: [], minText: 1 },
  selectorRules: [],
  now: Date.now,
  profiles: deviceProfiles(defaultSettings(), { chrome: '1', worker: '1' }),
  log: () => undefined,
  pool: { lease, warm: async () => undefined, groups: () => [], close: async () => undefined },
});

describe('the run of a job', () => {
  const going = new AbortController().signal;
  const granted = job({ url: 'file:///etc/passwd', deviceType: 'desktop', expiresAt: Date.now() + 60_000 });

  it('does not wait for its context to close', async () => {
    let released = 0;
    const lease: Lease = {
      context: {} as Lease['context'],
      isBrowserLost: () => false,
      release: () => {
        released++;
        return new Promise(() => undefined);
      },
    };
    const { metadata } = await runJob(
      granted,
      parts(async () => lease),
      going,
    );
    expect(metadata.error?.name).toBe('URL_INVALID');
    expect(released).toBe(1);
  });

  it('ends at its deadline while it waits for a browser, which is given back when it comes', async () => {
    let grant: (lease: Lease) => void = () => undefined;
    const { metadata } = await runJob(
      { ...granted, renderBudget: 50 },
      parts(() => new Promise((resolve) => (grant = resolve))),
      going,
    );
    expect(metadata.error).toMatchObject({ name: 'DeadlineExceeded', phase: 'open' });
    const released = new Promise<boolean>((release) =>
      grant({
        context: {} as Lease['context'],
        isBrowserLost: () => false,
        release: async (suspect) => release(suspect),
      }),
    );
    expect(await released).toBe(false);
  });

  it('a job that is stopped before it began asks for no browser', async () => {
    const { metadata } = await runJob(
      granted,
      parts(() => Promise.reject(new Error('asked'))),
      AbortSignal.abort(new Error('the worker stops')),
    );
    expect(metadata.error?.message).toContain('the worker stops');
  });
});
