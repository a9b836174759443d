import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorkerBench, type WorkerBench } from './worker-bench.ts';

let bench: WorkerBench;
let paths = 0;
beforeAll(async () => {
  bench = await startWorkerBench();
});
afterAll(() => bench.stop());

const renderHtml = (html: string, headers: Record<string, string> = {}, status = 200) => {
  const path = `/v/${++paths}`;
  bench.origin.on(path, (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(html),
  );
  return bench.render(`http://shop.test${path}`);
};
const withHead = (head: string, body = 'text'): string =>
  `<!DOCTYPE html><html><head><title>T</title>${head}</head><body>${body}</body></html>`;

describe('verdicts on rendered pages', () => {
  it('HTML-02: executable scripts go, data blocks stay byte for byte', async () => {
    const json = '{"@type":"Product","sku":"9","n":"<b>\\u003c/b> & é"}';
    bench.origin.on('/m.js', (response) => response.setHeader('content-type', 'text/javascript').end(''));
    const { html } = await renderHtml(
      `<!DOCTYPE html><title>T</title><script type="application/ld+json">${json}</script><script>window.a=1</script><script type='module' src='/m.js'></script><script type="application/json" id=s>{}</script><noscript><img src=/n.png></noscript>text`,
      { 'content-type': 'text/html; charset=utf-8' },
    );
    expect(html).toContain(`<script type="application/ld+json">${json}</script>`);
    expect(html).toContain('<script type="application/json" id="s">{}</script>');
    expect(html).toContain('<noscript><img src=/n.png></noscript>');
    expect(html.match(/<script/g)).toHaveLength(2);
  });

  it('HTML-04: doctype and base stay as they were, and no base is added', async () => {
    const withBase = await renderHtml(
      '<!DOCTYPE html><html lang=en><head><base href="/"></head><body><a href="#r">r</a><a href="x">x</a></body></html>',
    );
    expect(withBase.html).toBe(
      '<!DOCTYPE html><html lang="en"><head><base href="/"></head><body><a href="#r">r</a><a href="x">x</a></body></html>',
    );
    const without = await renderHtml('<!DOCTYPE html><html lang=en><head></head><body><a href="x">x</a></body></html>');
    expect(without.html).not.toContain('<base');
  });

  it('HTML-06: the status tag gives the status, is cut out, and headers are set', async () => {
    const { metadata, html } = await renderHtml(
      `<head><title>T</title><meta content='404' data-x=1 name='prerender-status-code'><meta name=prerender-header content="X-Shop: gone"><meta name=description content=D></head>text`,
    );
    expect(metadata).toMatchObject({
      statusCode: 404,
      outcome: 'non-indexable',
      reason: 'http-error',
      isIndexable: false,
    });
    expect(metadata.headers['x-shop']).toBe('gone');
    expect(html).toContain('<title>T</title><meta name="description" content="D">');
    expect(html).not.toContain('prerender-');
  });

  it('HTML-07: noindex by a tag set by script or by header', async () => {
    const byScript = await renderHtml(
      withHead(
        '',
        `text<script>const m=document.createElement('meta');m.name='robots';m.content='noindex';document.head.append(m)</script>`,
      ),
    );
    expect(byScript.metadata).toMatchObject({ outcome: 'non-indexable', reason: 'noindex' });
    expect(byScript.html).toContain('text');
    const byHeader = await renderHtml(withHead(''), { 'x-robots-tag': 'noindex' });
    expect(byHeader.metadata).toMatchObject({
      outcome: 'non-indexable',
      reason: 'noindex',
      headers: { 'x-robots-tag': 'noindex' },
    });
    const other = await renderHtml(withHead('<meta name=otherbot content=noindex>'), {
      'x-robots-tag': 'otherbot: noindex',
    });
    expect(other.metadata).toMatchObject({ outcome: 'rendered', isIndexable: true });
  });

  it('HTML-09: a challenge is an error, a soft 404 no page, and a product that says 404 a page', async () => {
    const challenge = await renderHtml('<title>Just a moment...</title><body>checking<script>1</script>');
    expect(challenge.metadata).toMatchObject({ outcome: 'error', reason: 'incomplete', statusCode: 200 });
    const soft = await renderHtml('<title>Page not found</title><h1>404</h1>');
    expect(soft.metadata).toMatchObject({ outcome: 'non-indexable', reason: 'soft-404' });
    const good = await renderHtml(
      '<title>Boots, Model 404</title><div class=h-captcha></div>Model 404 - not found in stores',
    );
    expect(good.metadata).toMatchObject({ outcome: 'rendered', reason: null });
  });

  it('a canonical elsewhere is a mismatch that keeps what was declared; a spelling is none', async () => {
    const elsewhere = await renderHtml(withHead('<link rel=canonical href="/other">'));
    expect(elsewhere.metadata).toMatchObject({
      outcome: 'non-indexable',
      reason: 'canonical-mismatch',
      canonical: 'http://shop.test/other',
    });
    bench.origin.on('/q', withHead('<link rel=canonical href="http://shop.test/q?a=b+c">'));
    const spelled = await bench.render('http://shop.test/q?a=b%20c');
    expect(spelled.metadata).toMatchObject({
      outcome: 'rendered',
      isIndexable: true,
      canonical: 'http://shop.test/q?a=b+c',
    });
    const byHeader = await renderHtml(withHead(''), { link: '</other2>; rel="canonical"' });
    expect(byHeader.metadata).toMatchObject({ reason: 'canonical-mismatch', canonical: 'http://shop.test/other2' });
  });

  it('a status of the origin is reported without rendering', async () => {
    for (const [status, outcome] of [
      [404, 'non-indexable'],
      [410, 'non-indexable'],
      [403, 'non-indexable'],
      [500, 'error'],
      [503, 'error'],
      [429, 'error'],
    ] as const) {
      const { metadata, html } = await renderHtml(withHead('', 'error text'), { 'retry-after': '7' }, status);
      expect(metadata).toMatchObject({
        statusCode: status,
        outcome,
        reason: 'http-error',
        headers: { 'retry-after': '7' },
      });
      expect(html).toBe('');
    }
  });

  it('an answer that is no HTML is an error', async () => {
    const { metadata } = await renderHtml('{}', { 'content-type': 'application/json' });
    expect(metadata).toMatchObject({ outcome: 'error', error: { name: 'NotHtml' } });
  });
});

describe('redirects of the document', () => {
  const redirect = (path: string, status: number, location: string): void =>
    bench.origin.on(path, (response) => response.writeHead(status, { location }).end());

  it('carry the status of the first hop and the absolute target', async () => {
    bench.origin.on('/end', withHead(''));
    redirect('/r1', 301, '/r2');
    redirect('/r2', 301, '/end');
    redirect('/r3', 308, '/t1');
    redirect('/t1', 302, '/end');
    redirect('/t2', 302, '/r2');
    const to = async (path: string) => {
      const { metadata, html } = await bench.render(`http://shop.test${path}`);
      expect(metadata).toMatchObject({ outcome: 'redirected', reason: 'redirect' });
      expect(html).toBe('');
      return [metadata.statusCode, metadata.redirectedTo];
    };
    expect(await to('/r1')).toEqual([301, 'http://shop.test/end']);
    // What follows a permanent hop by a temporary one may be another page tomorrow.
    expect(await to('/r3')).toEqual([308, 'http://shop.test/t1']);
    expect(await to('/t2')).toEqual([302, 'http://shop.test/end']);
  });

  it('by script or refresh are temporary ones', async () => {
    bench.origin.on('/end', withHead(''));
    for (const html of [
      withHead('<meta http-equiv=refresh content="0;url=/end">'),
      withHead('', 'x<script>location.replace("/end")</script>'),
    ]) {
      const { metadata } = await renderHtml(html);
      expect(metadata).toMatchObject({ outcome: 'redirected', statusCode: 302, redirectedTo: 'http://shop.test/end' });
    }
  });

  it('that never end are a redirect loop', async () => {
    redirect('/loop1', 301, '/loop2');
    redirect('/loop2', 301, '/loop1');
    const { metadata } = await bench.render('http://shop.test/loop1');
    expect(metadata).toMatchObject({ outcome: 'error', reason: 'redirect-loop', statusCode: 301 });
  });

  it('that lead back to the page itself are none: a cookie was set on the way', async () => {
    bench.origin.on('/door', (response, { headers }) => {
      if (headers.cookie?.includes('seen=1'))
        response.setHeader('content-type', 'text/html').end(withHead('', 'inside'));
      else response.writeHead(302, { location: '/set' }).end();
    });
    bench.origin.on('/set', (response) =>
      response.writeHead(302, { location: '/door', 'set-cookie': 'seen=1; path=/' }).end(),
    );
    const { metadata, html } = await bench.render('http://shop.test/door');
    expect(metadata.outcome).toBe('rendered');
    expect(html).toContain('inside');
  });

  it('of a page that reloads itself once is still the page', async () => {
    const { metadata, html } = await renderHtml(
      withHead(
        '',
        `x<script>if(!sessionStorage.n){sessionStorage.n=1;location.reload()}else document.body.append('second')</script>`,
      ),
    );
    expect(metadata.outcome).toBe('rendered');
    expect(html).toContain('second');
  });
});
