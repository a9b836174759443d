import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorkerBench, type WorkerBench } from './worker-bench.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await startWorkerBench({
    renderTimeout: 12_000,
    requestHold: 3000,
    settleMax: 4000,
    requireSelectors: ['/needs-price .price'],
  });
  bench.origin.on('/beacon', (response) => response.writeHead(204).end());
  bench.origin.on('/slow.json', (response) => {
    setTimeout(() => response.setHeader('content-type', 'application/json').end('{"name":"Slow boots"}'), 1500);
  });
  // Never answered.
  bench.origin.on('/poll', () => undefined);
});
afterAll(() => bench.stop());

const page = (script: string): string =>
  `<!DOCTYPE html><html><head><title>T</title></head><body><p>start</p><script>${script}</script></body></html>`;

describe('when a page is done', () => {
  it('waits for a slow call whose answer fills the page', async () => {
    bench.origin.on(
      '/slow',
      page(`fetch('/slow.json').then((r) => r.json()).then((o) => document.body.append(o.name))`),
    );
    const { html } = await bench.render('http://shop.test/slow');
    expect(html).toContain('Slow boots');
  });

  it('waits for calls that follow each other', async () => {
    bench.origin.on(
      '/chain',
      page(
        `(async () => { for (let i = 0; i < 2; i++) { await fetch('/slow.json'); document.body.append('step' + i); } })()`,
      ),
    );
    const { html } = await bench.render('http://shop.test/chain');
    expect(html).toContain('step1');
  });

  it('JOB-01: a page that beacons for ever is done in seconds', async () => {
    bench.origin.on(
      '/beacons',
      page(`setInterval(() => fetch('/beacon'), 200); setTimeout(() => document.body.append('late text'), 300)`),
    );
    const { metadata, html } = await bench.render('http://shop.test/beacons');
    expect(html).toContain('late text');
    expect(metadata.renderTime).toBeLessThan(4000);
  });

  it('beacons whose URL is new each time hold a page no longer than settleMax', async () => {
    bench.origin.on('/unique', page(`setInterval(() => fetch('/beacon?' + Math.random()), 200)`));
    const { metadata } = await bench.render('http://shop.test/unique');
    expect(metadata.outcome).toBe('rendered');
    expect(metadata.renderTime).toBeLessThan(6500);
  });

  it('long polling, EventSource, sendBeacon and a clock in the page do not hold it', async () => {
    bench.origin.on(
      '/live',
      page(`fetch('/poll'); new EventSource('/poll'); navigator.sendBeacon('/beacon'); try { new WebSocket('ws://shop.test/poll'); } catch {}
        const p = document.querySelector('p'); setInterval(() => { p.textContent = String(Date.now()); }, 50)`),
    );
    const { metadata } = await bench.render('http://shop.test/live');
    expect(metadata.outcome).toBe('rendered');
    expect(metadata.renderTime).toBeLessThan(7000);
  });

  it('prerenderReady: waits while it is false and takes the page as soon as it is true', async () => {
    bench.origin.on(
      '/ready',
      page(`window.prerenderReady = false; setTimeout(() => { document.body.append('ready now'); window.prerenderReady = true; }, 2500);
        setInterval(() => fetch('/beacon?' + Math.random()), 100)`),
    );
    const { metadata, html } = await bench.render('http://shop.test/ready');
    expect(html).toContain('ready now');
    expect(metadata.renderTime).toBeLessThan(4500);
  });

  it('HTML-01: a page whose prerenderReady never turns true is an error, never a page', async () => {
    bench.origin.on('/never', page(`window.prerenderReady = false`));
    const { metadata, html } = await bench.render('http://shop.test/never', { renderBudget: 2500 });
    expect(metadata).toMatchObject({ outcome: 'error', reason: 'incomplete', statusCode: 200, isIndexable: false });
    expect(metadata.error).toMatchObject({ name: 'DeadlineExceeded', phase: 'settle' });
    expect(html).toBe('');
  });

  it('HTML-01: a blank page is an error, never a page', async () => {
    bench.origin.on('/blank', '<html><head></head><body></body></html>');
    const { metadata, html } = await bench.render('http://shop.test/blank');
    expect(metadata).toMatchObject({ outcome: 'error', reason: 'incomplete', statusCode: 200 });
    expect(html).toBe('');
  });

  it('HTML-01: a page without its required selector is an error, and with it a page', async () => {
    bench.origin.on('/needs-price/no', page(''));
    bench.origin.on(
      '/needs-price/yes',
      page(`setTimeout(() => { document.querySelector('p').className = 'price'; document.body.append('!') }, 1500)`),
    );
    const without = bench.render('http://shop.test/needs-price/no', { renderBudget: 3000 });
    const having = await bench.render('http://shop.test/needs-price/yes');
    expect(having.html).toContain('class="price"');
    expect((await without).metadata).toMatchObject({ outcome: 'error', reason: 'incomplete' });
  });

  it('HTML-01: a page whose own script does not load is incomplete', async () => {
    bench.origin.on('/app.js', (response) => response.writeHead(503).end());
    bench.origin.on('/app', '<!DOCTYPE html><title>T</title><body>skeleton<script src="/app.js"></script>');
    const { metadata } = await bench.render('http://shop.test/app');
    expect(metadata).toMatchObject({ outcome: 'error', reason: 'incomplete', error: { name: 'ScriptFailed' } });
  });
});
