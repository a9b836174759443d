import { describe, expect, it } from 'vitest';
import type { RenderJob } from '../../../src/protocol/job.ts';
import { jobDeadline } from '../../../src/worker/job-run.ts';

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
