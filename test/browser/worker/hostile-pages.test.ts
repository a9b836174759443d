import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupMembers } from '../../../src/worker/process-group.ts';
import { chromiumGroups } from './own-browsers.ts';
import { startWorkerBench, type WorkerBench } from './worker-bench.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await startWorkerBench({ concurrency: 3, maxPageMemory: 128, killGrace: 500 });
  bench.origin.on('/beacon', (response) => response.writeHead(204).end());
  bench.origin.on(
    '/beacons',
    '<!DOCTYPE html><title>B</title><body>x<script>setInterval(() => fetch("/beacon"), 200)</script>',
  );
  bench.origin.on('/normal', '<!DOCTYPE html><title>N</title><body>normal page');
  bench.origin.on('/loop', '<!DOCTYPE html><title>L</title><body>x<script>while(true){}</script>');
  bench.origin.on(
    '/late-loop',
    '<!DOCTYPE html><title>L</title><body>x<script>setTimeout(()=>{while(true){}},50)</script>',
  );
  bench.origin.on(
    '/alert',
    `<!DOCTYPE html><title>A</title><body>before<script>alert('x');document.body.append(' after '+confirm('y'))</script>`,
  );
  bench.origin.on(
    '/bomb',
    '<!DOCTYPE html><title>B</title><body>x<script>let a=[];for(;;)a.push(new Array(1e6))</script>',
  );
  bench.origin.on(
    '/typed-bomb',
    '<!DOCTYPE html><title>B</title><body>x<script>window.prerenderReady=false;let a=[];setInterval(()=>a.push(new Uint8Array(2e7).fill(1)),20)</script>',
  );
});
afterAll(() => bench.stop());

const until = async (what: string, condition: () => boolean, limitMs = 15_000): Promise<void> => {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not reached within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

describe('JOB-01: pages that misbehave', () => {
  it('an infinite loop fails at the deadline, wherever it begins', async () => {
    for (const path of ['/loop', '/late-loop']) {
      const started = Date.now();
      const { metadata, html } = await bench.render(`http://shop.test${path}`, { renderBudget: 2000 });
      expect(metadata).toMatchObject({ outcome: 'error', error: { name: 'DeadlineExceeded' } });
      expect(html).toBe('');
      expect(Date.now() - started).toBeLessThan(6000);
    }
  });

  it('dialogs are dismissed and the page goes on', async () => {
    const { metadata, html } = await bench.render('http://shop.test/alert');
    expect(metadata.outcome).toBe('rendered');
    expect(html).toContain('before');
    expect(html).toContain(' after false');
  });

  it('a memory bomb crashes its own tab only, on the heap and outside of it', async () => {
    for (const path of ['/bomb', '/typed-bomb']) {
      const { metadata } = await bench.render(`http://shop.test${path}`, { renderBudget: 15_000 });
      expect(metadata).toMatchObject({ outcome: 'error', error: { name: 'PageCrashed' } });
    }
    expect((await bench.render('http://shop.test/normal')).metadata.outcome).toBe('rendered');
  });

  it('a killed browser costs no job', async () => {
    bench.origin.on(
      '/slow-start',
      (response) =>
        void setTimeout(() => response.setHeader('content-type', 'text/html').end('<title>S</title>slow'), 1200),
    );
    const pending = bench.render('http://shop.test/slow-start');
    await until('the page is asked for', () => bench.origin.seen.some(({ url }) => url === '/slow-start'));
    for (const group of chromiumGroups()) process.kill(-group, 'SIGKILL');
    expect((await pending).metadata.outcome).toBe('rendered');
  });

  it('20 jobs of each kind mixed with normal pages: each ends as it should, and the processes return to the baseline', async () => {
    await bench.render('http://shop.test/normal');
    const many = (path: string, renderBudget: number) =>
      Array.from({ length: 20 }, (_, i) => bench.render(`http://shop.test${path}?${i}`, { renderBudget }));
    const started = Date.now();
    const kinds = { beacons: many('/beacons', 15_000), loops: many('/loop', 1500), alerts: many('/alert', 15_000) };
    const bombs = many('/bomb', 15_000);
    const normal = many('/normal', 15_000);
    const outcomes = async (jobs: ReturnType<typeof many>) =>
      [...new Set((await Promise.all(jobs)).map(({ metadata }) => metadata.outcome))].join();
    expect(await outcomes(kinds.beacons)).toBe('rendered');
    expect(await outcomes(kinds.alerts)).toBe('rendered');
    expect(await outcomes(normal)).toBe('rendered');
    expect(await outcomes(kinds.loops)).toBe('error');
    expect(await outcomes(bombs)).toBe('error');
    expect(Date.now() - started).toBeLessThan(150_000);
    // One browser without pages: no renderer that hangs is left.
    await until('one browser is left', () => chromiumGroups().length <= 1);
    await until('few processes are left', () => chromiumGroups().flatMap(groupMembers).length <= 8);
  });
});
