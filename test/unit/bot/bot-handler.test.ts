import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleTarget } from '../fakes/sample-target.ts';
import { GOOGLEBOT, startRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe('a page that is not cached', () => {
  it('is answered by the origin and adds its URL', async () => {
    const response = await rig.ask('/product/1');
    expect(response.status).toBe(200);
    expect(response.body.toString()).toBe('<h1>origin</h1>');
    await rig.handler.idle();
    expect(rig.minted).toEqual([
      { url: 'https://shop.test/product/1', source: 'discovery', discoveredBy: 'Googlebot' },
    ]);
    expect(rig.verdicts).toEqual([{ kind: 'mint' }]);
    expect(rig.metrics).toEqual(
      expect.arrayContaining([
        'botRequest Googlebot',
        'botServe origin miss Googlebot',
        'routeServe prefix:/ miss desktop',
        'botMiss new Googlebot',
        'discoveryMinted prefix:/ Googlebot',
        'originFetch 2xx miss',
      ]),
    );
  });

  it('adds nothing when it has a Target', async () => {
    rig.targets.set('https://shop.test/product/1', sampleTarget('https://shop.test/product/1'));
    await rig.ask('/product/1');
    expect(rig.minted).toEqual([]);
    expect(rig.verdicts).toEqual([{ kind: 'exists' }]);
    expect(rig.metrics).toContain('botMiss unrendered Googlebot');
  });

  it('has the miss told as one of the device when another device has a page', async () => {
    rig.targets.set('https://shop.test/product/1', sampleTarget('https://shop.test/product/1', { firstRenderedAt: 1 }));
    await rig.storePage('/product/1', { deviceType: 'mobile' });
    await rig.ask('/product/1');
    expect(rig.metrics).toContain('botMiss device Googlebot');
  });

  it('still answers when the Target cannot be written, and logs it', async () => {
    rig.targets.set = () => {
      throw new Error('disk full');
    };
    expect((await rig.ask('/product/1')).status).toBe(200);
    await rig.handler.idle();
    expect(rig.logger.lines.join()).toContain('disk full');
  });
});

describe('a cached page', () => {
  it('is served without asking the origin, with validators of its own', async () => {
    await rig.storePage('/product/1');
    const response = await rig.ask('/product/1', { headers: [['Accept-Encoding', 'gzip']] });
    expect(response.status).toBe(200);
    expect(response.header('content-encoding')).toBe('gzip');
    expect(gunzipSync(response.body).toString()).toContain('rendered /product/1');
    expect(response.header('etag')).toMatch(/^"[\w-]{22}-desktop-gzip"$/);
    expect(response.header('last-modified')).toBe(new Date(rig.pageTable.rows()[0]?.lastModified ?? 0).toUTCString());
    expect(response.header('age')).toBe('0');
    expect(rig.asked).toEqual([]);
    expect(rig.metrics).toEqual(
      expect.arrayContaining([
        'botServe cache hit Googlebot',
        'pageAge hit Googlebot',
        'routePageAge prefix:/ hit desktop',
      ]),
    );
  });

  it('is read from its blob once, and is new at once when a newer render is stored', async () => {
    await rig.storePage('/product/1');
    await rig.ask('/product/1');
    await rig.ask('/product/1');
    expect(rig.blobs.reads).toBe(1);
    await rig.storePage('/product/1', { html: Buffer.from('<h1>second render</h1>') });
    expect((await rig.ask('/product/1')).body.toString()).toBe('<h1>second render</h1>');
  });

  it('is served as swr after it expired, and is stale after that', async () => {
    await rig.storePage('/product/1');
    rig.advance(86_400_000 + 1);
    expect((await rig.ask('/product/1')).body.toString()).toContain('rendered');
    expect(rig.metrics).toContain('botServe cache swr Googlebot');
    rig.advance(86_400_000);
    expect((await rig.ask('/product/1')).body.toString()).toBe('<h1>origin</h1>');
    expect(rig.metrics).toContain('botServe origin stale Googlebot');
    expect(rig.minted).toEqual([]);
  });

  it('is not served once it was expired by force', async () => {
    await rig.storePage('/product/1');
    await rig.pages.expire('https://shop.test/product/1', 'operator');
    expect((await rig.ask('/product/1')).body.toString()).toBe('<h1>origin</h1>');
    rig.answer = (_request, response) => response.writeHead(503).end('down');
    expect((await rig.ask('/product/1')).status).toBe(503);
  });

  it('beats an origin that is down inside staleIfErrorTtl', async () => {
    await rig.storePage('/product/1');
    rig.advance(3 * 86_400_000);
    for (const status of [500, 502, 503, 504]) {
      rig.answer = (_request, response) => response.writeHead(status).end('down');
      const response = await rig.ask('/product/1');
      expect([response.status, response.body.toString()]).toEqual([200, expect.stringContaining('rendered')]);
    }
    rig.answer = (request) => request.socket.destroy();
    expect((await rig.ask('/product/1')).body.toString()).toContain('rendered');
    rig.advance(6 * 86_400_000);
    expect((await rig.ask('/product/1')).status).toBe(502);
  });

  it('does not beat an origin error when its Target is suppressed', async () => {
    await rig.storePage('/product/1');
    rig.targets.set(
      'https://shop.test/product/1',
      sampleTarget('https://shop.test/product/1', { state: 'suppressed', suppressedReason: 'http-gone' }),
    );
    rig.advance(3 * 86_400_000);
    rig.answer = (_request, response) => response.writeHead(503).end('down');
    expect((await rig.ask('/product/1')).status).toBe(503);
  });

  it('is kept and the origin answers when its blob is lost or slow', async () => {
    await rig.storePage('/product/1');
    const read = rig.blobs.read;
    rig.blobs.read = () => Promise.reject(new Error('ENOENT'));
    expect((await rig.ask('/product/1')).body.toString()).toBe('<h1>origin</h1>');
    rig.blobs.read = () => new Promise(() => undefined);
    rig.setOptions({ page: { blobReadBudget: 20 } });
    expect((await rig.ask('/product/1')).body.toString()).toBe('<h1>origin</h1>');
    expect(rig.metrics).toEqual(
      expect.arrayContaining(['botServe origin blob-missing Googlebot', 'botServe origin blob-timeout Googlebot']),
    );
    rig.blobs.read = read;
    rig.advance(1_000);
    expect((await rig.ask('/product/1')).body.toString()).toContain('rendered');
  });

  it('is skipped only with the token', async () => {
    rig.setOptions({ ingress: { ...rig.config.ingress, skipToken: 'let-me-through' } });
    await rig.storePage('/product/1');
    const wrong = await rig.ask('/product/1', { headers: [['X-Prerender-Skip', 'guess']] });
    expect(wrong.body.toString()).toContain('rendered');
    const right = await rig.ask('/product/1', { headers: [['X-Prerender-Skip', 'let-me-through']] });
    expect(right.body.toString()).toBe('<h1>origin</h1>');
    expect(rig.metrics).toContain('botServe origin skip Googlebot');
    expect(rig.minted).toEqual([]);
  });

  it('says why it was served when the debug header asks', async () => {
    await rig.storePage('/product/1');
    expect((await rig.ask('/product/1')).header('x-prerender-status')).toBeUndefined();
    const response = await rig.ask('/product/1', { headers: [['X-Prerender-Debug', '1']] });
    expect(response.header('x-prerender-status')).toBe('hit');
    expect(response.header('x-prerender-source')).toBe('cache');
    expect(response.header('x-prerender-key')).toBe('https://shop.test/product/1|desktop');
    expect(response.header('x-prerender-bot')).toBe('Googlebot');
  });

  it('HTTP-09: is replayed with its status and Location, and not past redirectTtl', async () => {
    await rig.storePage('/gone', { statusCode: 404, html: Buffer.from('<h1>gone</h1>') });
    await rig.storePage('/old', { statusCode: 301, headers: { location: '/new' }, html: Buffer.alloc(0) });
    for (const method of ['GET', 'GET', 'HEAD']) {
      expect((await rig.ask('/gone', { method })).status).toBe(404);
      const moved = await rig.ask('/old', { method });
      expect([moved.status, moved.header('location')]).toEqual([301, '/new']);
    }
    rig.advance(3_600_000);
    rig.answer = (_request, response) => response.writeHead(404).end('origin says gone');
    expect((await rig.ask('/gone')).body.toString()).toBe('origin says gone');
  });
});

describe('our own traffic', () => {
  const own = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126 Safari/537.36 HarperPrerender/1.0';

  it('UA-05: goes to the origin uncounted, whatever name is added to it, and a second hop is refused', async () => {
    await rig.storePage('/product/1');
    for (const userAgent of [own, `${own} (compatible; Googlebot/2.1)`]) {
      const response = await rig.ask('/product/1', { headers: [['User-Agent', userAgent]] });
      expect(response.body.toString()).toBe('<h1>origin</h1>');
    }
    expect(rig.minted).toEqual([]);
    expect(rig.verdicts).toEqual([]);
    expect(rig.metrics.filter((line) => !line.startsWith('originFetch'))).toEqual([]);
    expect(rig.asked.length).toBe(2);
    const looped = await rig.ask('/product/1', {
      headers: [['CDN-Loop', rig.asked[0]?.headers['cdn-loop'] as string]],
    });
    expect(looped.status).toBe(508);
    const marked = await rig.ask('/product/1', {
      headers: [
        ['User-Agent', own],
        ['X-Prerender-Bypass', 't'],
      ],
    });
    expect(marked.status).toBe(508);
    expect(rig.asked.length).toBe(2);
  });

  it('UA-06: a missing, empty or very long user agent is answered and counted as other', async () => {
    await rig.raw({ path: '/p/https://shop.test/a' });
    await rig.ask('/a', { headers: [['User-Agent', '']] });
    const long = await rig.ask('/a', { headers: [['User-Agent', 'x'.repeat(12_000)]] });
    expect(long.status).toBe(200);
    expect(rig.metrics.filter((line) => line.startsWith('botRequest'))).toEqual(Array(3).fill('botRequest other'));
  });
});

describe('keys and devices', () => {
  it('HTTP-13: an unknown device is the default one and no URL can take the place of another key', async () => {
    await rig.storePage('/p/1');
    const odd = await rig.ask('/p/1', { headers: [['X-Device-Type', 'x|desktop']] });
    expect(odd.body.toString()).toContain('rendered /p/1');
    const other = await rig.ask('/p/1|x', { headers: [['X-Prerender-Debug', '1']] });
    expect(other.header('x-prerender-key')).toBe('https://shop.test/p/1%7Cx|desktop');
    const keys = await Promise.all(
      ['/search?k=v%3D', '/search?k%3Dv='].map((path) => rig.ask(path, { headers: [['X-Prerender-Debug', '1']] })),
    );
    expect(new Set(keys.map((response) => response.header('x-prerender-key'))).size).toBe(2);
  });

  it('HTTP-11: what is for crawlers is not for people: caches in front are told so, for pages and for misses', async () => {
    await rig.storePage('/product/1');
    rig.answer = (_request, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'cache-control': 'public, max-age=600',
          expires: 'x',
          vary: 'Cookie',
        })
        .end('x');
    for (const path of ['/product/1', '/product/2']) {
      const response = await rig.ask(path);
      expect(response.header('cache-control')).toBe('private, no-cache');
      expect(response.header('cdn-cache-control')).toBe('no-store');
      expect(response.header('expires')).toBeUndefined();
      expect(response.header('vary')).toContain('accept-encoding, x-device-type');
      expect(response.header('vary')?.toLowerCase()).not.toContain('user-agent');
    }
    expect((await rig.ask('/static/a.js')).header('cache-control')).toBe('public, max-age=600');
  });

  it('a smartphone crawler gets the mobile page', async () => {
    await rig.storePage('/a', { deviceType: 'mobile', html: Buffer.from('for mobile') });
    const phone = GOOGLEBOT.replace('Mozilla/5.0 (', 'Mozilla/5.0 (Linux; Android 6; Nexus 5X) Mobile Safari/537.36 (');
    expect((await rig.ask('/a', { headers: [['User-Agent', phone]] })).body.toString()).toBe('for mobile');
  });

  it('a key too long for the store is answered by the origin and adds nothing', async () => {
    const response = await rig.ask(`/search?q=${'x'.repeat(3_000)}`);
    expect(response.status).toBe(200);
    expect(rig.metrics).toContain('botServe origin bypass Googlebot');
    await rig.handler.idle();
    expect(rig.minted).toEqual([]);
  });
});
