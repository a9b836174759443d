import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorkerBench, type WorkerBench } from './worker-bench.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await startWorkerBench();
});
afterAll(() => bench.stop());

const shell = (script: string, head = ''): string =>
  `<!DOCTYPE html><html lang=en><head><title>Shell</title>${head}</head><body><main></main><script>${script}</script></body></html>`;

describe('the life of a job', () => {
  it('renders what scripts fill in and reports it in the wire format', async () => {
    bench.origin.on('/api/price', (response) =>
      response.setHeader('content-type', 'application/json').end('{"price":"12.50"}'),
    );
    bench.origin.on(
      '/product/1',
      shell(`fetch('/api/price').then((r) => r.json()).then(({price}) => {
        document.title = 'Boots'; document.querySelector('main').innerHTML = '<h1>Boots</h1><b>' + price + '</b>';
      })`),
    );
    const before = Date.now();
    const { metadata, html, authorization, contentType } = await bench.render('http://shop.test/product/1');
    expect(metadata).toMatchObject({
      url: 'http://shop.test/product/1',
      statusCode: 200,
      outcome: 'rendered',
      reason: null,
      error: null,
      isIndexable: true,
      redirectedTo: null,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
    });
    expect(html).toContain('<h1>Boots</h1><b>12.50</b>');
    expect(html).toContain('<title>Boots</title>');
    expect(html).not.toContain('<script');
    expect(metadata.fetchedAt).toBeGreaterThanOrEqual(before);
    expect(metadata.renderTime).toBeGreaterThan(0);
    expect(contentType).toBe('application/octet-stream');
    expect(authorization).toBe(`Basic ${Buffer.from('worker:secret-of-the-worker').toString('base64')}`);
  });

  it('UA-05: carries its product token in the user agent of every request, by device', async () => {
    bench.origin.on('/ua.js', (response) =>
      response.setHeader('content-type', 'text/javascript').end('document.body.append(innerWidth)'),
    );
    bench.origin.on('/ua', '<!DOCTYPE html><title>UA</title><body>width <script src="/ua.js"></script>');
    const desktop = await bench.render('http://shop.test/ua');
    const mobile = await bench.render('http://shop.test/ua', { deviceType: 'mobile' });
    const agents = bench.origin.seen
      .filter(({ url }) => url.startsWith('/ua'))
      .map(({ headers }) => headers['user-agent']);
    expect(agents).toHaveLength(4);
    for (const agent of agents) expect(agent).toMatch(/ HarperPrerender\/\d+\.\d+\.\d+$/);
    expect(agents.filter((agent) => agent?.includes('Mobile Safari'))).toHaveLength(2);
    expect(agents.join()).not.toContain('HeadlessChrome');
    expect(desktop.html).toContain('width 1366');
    expect(mobile.html).not.toContain('width 1366');
  });

  it('refuses a device type that it does not know with a result that says so', async () => {
    const { metadata } = await bench.render('http://shop.test/ua', { deviceType: 'fridge' });
    expect(metadata).toMatchObject({ outcome: 'error', error: { name: 'UnknownDevice', phase: 'open' } });
  });

  it('delivers a result again when the node is busy', async () => {
    bench.origin.on('/busy', shell(`document.body.append('here')`));
    bench.queue.refuseResultsWith.push(503, 429);
    const { html } = await bench.render('http://shop.test/busy');
    expect(html).toContain('here');
  });

  it('renders an https page whose host is mapped to plain http, and the page does not notice', async () => {
    bench.origin.on('/where', shell(`document.querySelector('main').append(location.href + ' ' + isSecureContext)`));
    const { html } = await bench.render('https://secure.test/where?a=%20b');
    expect(html).toContain('https://secure.test/where?a=%20b true');
    const asked = bench.origin.seen.find(({ url }) => url.startsWith('/where'));
    expect(asked).toMatchObject({ host: 'secure.test', url: '/where?a=%20b' });
    expect(asked?.headers['x-forwarded-proto']).toBe('https');
  });

  it('does not download pictures, and their error handlers do not run', async () => {
    bench.origin.on(
      '/pictures',
      '<!DOCTYPE html><title>P</title><body>text<img src="/p.png" onerror="this.src=\'/oops.png\'">',
    );
    const { html } = await bench.render('http://shop.test/pictures');
    expect(html).toContain('src="/p.png"');
    expect(bench.origin.seen.filter(({ url }) => url.endsWith('.png'))).toEqual([]);
  });

  it('gives each job a context of its own: no cookie or storage of another job is seen', async () => {
    bench.origin.on(
      '/cookies',
      shell(
        `document.querySelector('main').append('[' + document.cookie + localStorage.length + ']'); document.cookie='a=1'; localStorage.x = 1`,
      ),
    );
    await bench.render('http://shop.test/cookies');
    const second = await bench.render('http://shop.test/cookies?again');
    expect(second.html).toContain('[0]');
  });

  it('never logs the password', () => {
    expect(bench.log.length).toBeGreaterThan(0);
    expect(bench.log.join('\n')).not.toContain('secret-of-the-worker');
  });
});
