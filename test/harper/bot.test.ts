import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOOGLEBOT, HOST, startBotFixture, type BotFixture } from './bot-fixture.ts';
import { assertCleanLog } from './harness/instance.ts';
import { waitFor } from './harness/wait-for.ts';

let bot: BotFixture;
beforeAll(async () => {
  // Two threads, so that what one thread stores is served by the other.
  bot = await startBotFixture({ threads: 2 });
});
afterAll(async () => {
  try {
    assertCleanLog(bot.booted.instance);
  } finally {
    await bot.stop();
  }
});

const DEBUG = [['X-Prerender-Debug', '1']] as const;
const asked = (path: string): string[] =>
  bot.shop
    .requests()
    .map(({ url }) => url)
    .filter((url) => url.startsWith(path));
const hasTarget = (path: string): Promise<unknown> => waitFor(() => bot.target(path), { what: `a Target of ${path}` });

describe('the life of a page', () => {
  it('is the origin first, then the rendered page on every thread, and a newer render at once', async () => {
    const { path } = bot.shop.product(1);
    const first = await bot.ask(path, DEBUG);
    expect([first.status, first.header('x-prerender-status')]).toEqual([200, 'miss']);
    expect(first.header('x-prerender-verdict')).toBe('mint');
    await hasTarget(path);
    await bot.render(path, '<!DOCTYPE html><title>first</title>');
    for (let n = 0; n < 8; n++) {
      const hit = await bot.ask(path, [['Accept-Encoding', 'gzip'], ...DEBUG]);
      expect(hit.header('x-prerender-status')).toBe('hit');
      expect(gunzipSync(hit.body).toString()).toBe('<!DOCTYPE html><title>first</title>');
    }
    expect(asked(path).length).toBe(1);
    const revalidated = await bot.booted.instance.request('/Target', {
      method: 'POST',
      auth: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'revalidate', url: `https://${HOST}${path}` }),
    });
    expect(revalidated.status).toBeLessThan(300);
    await bot.render(path, '<!DOCTYPE html><title>second</title>');
    for (let n = 0; n < 8; n++) {
      expect((await bot.ask(path)).body.toString()).toBe('<!DOCTYPE html><title>second</title>');
    }
  });

  it('HTTP-04: revalidates with a 304 that has the headers of the 200 and no body', async () => {
    const { path } = bot.shop.product(2);
    await bot.ask(path);
    await hasTarget(path);
    await bot.render(path, '<title>two</title>');
    const full = await bot.ask(path);
    const etag = full.header('etag') ?? '';
    for (const tag of [`W/${etag}`, `"v0", ${etag}`, '*']) {
      const response = await bot.ask(path, [['If-None-Match', tag]]);
      expect([tag, response.status, response.body.length]).toEqual([tag, 304, 0]);
      expect(response.header('content-length')).toBeUndefined();
      for (const name of ['etag', 'cache-control', 'vary', 'expires', 'last-modified', 'cdn-cache-control']) {
        expect([name, response.header(name)]).toEqual([name, full.header(name)]);
      }
    }
    expect((await bot.ask(path, [['If-None-Match', '"other"']])).status).toBe(200);
  });

  it('HTTP-06: HEAD has the headers of GET, cold and warm, and fills no cache; other methods pass through', async () => {
    const { path } = bot.shop.product(3);
    const cold = await bot.ask(path, DEBUG, { method: 'HEAD' });
    expect([cold.status, cold.body.length]).toEqual([200, 0]);
    expect(cold.header('x-prerender-verdict')).toBe('not-candidate: method');
    expect(await bot.target(path)).toBeUndefined();
    expect((await bot.ask(path)).body.length).toBeGreaterThan(0);
    await hasTarget(path);
    await bot.render(path, '<title>three</title>');
    const get = await bot.ask(path);
    const head = await bot.ask(path, [], { method: 'HEAD' });
    for (const name of ['etag', 'content-length', 'content-type', 'vary']) {
      expect([name, head.header(name)]).toEqual([name, get.header(name)]);
    }
    for (const method of ['POST', 'PUT', 'OPTIONS']) {
      const response = await bot.ask('/echo/form', [['Content-Length', '5'], ...DEBUG], { method, body: 'a=1&b' });
      expect([method, response.header('x-prerender-status')]).toEqual([method, 'bypass']);
      expect(response.body.toString()).toContain(method);
    }
    expect(await bot.target('/echo/form')).toBeUndefined();
  });

  it('HTTP-11: tells caches in front not to give the page to people', async () => {
    const response = await bot.ask(bot.shop.product(3).path);
    expect(response.header('cache-control')).toBe('private, no-cache');
    expect(response.header('cdn-cache-control')).toBe('no-store');
    expect(response.header('vary')).toBe('accept-encoding, x-device-type');
    expect(response.header('age')).toMatch(/^\d+$/);
  });
});

describe('what the origin sees and says', () => {
  it('URL-01, URL-02: is asked byte for byte', async () => {
    bot.shop.control({ command: 'page', path: '/p/ab%2F12', body: 'slash' });
    expect((await bot.ask('/p/ab%2F12')).body.toString()).toContain('slash');
    expect((await bot.ask('/p/ab/12')).status).toBe(404);
    const query = 'maker=R%26D&size=4&color=red&size=5&instock&sig=%FF%E9&q=blue%20shoe&v=1;2';
    await bot.ask(`/echo?${query}`);
    expect(asked('/p/ab')).toEqual(['/p/ab%2F12', '/p/ab/12']);
    expect(asked('/echo?maker')).toEqual([`/echo?${query}`]);
  });

  it('URL-04: makes one Target of all tracking parameters', async () => {
    const { path } = bot.shop.product(4);
    for (const query of ['utm_source=a', 'utm_source=b', 'fbclid=1', 'gclid=2', 'host=A&host=A&plan=1&plan=2']) {
      const response = await bot.ask(`${path}?${query}`, DEBUG);
      expect(response.header('x-prerender-key')).toBe(`https://${HOST}${path}|desktop`);
    }
    await hasTarget(path);
  });

  it('HTTP-01: relays every content encoding as it is', async () => {
    for (const encoding of ['gzip', 'br', 'deflate'] as const) {
      const path = `/encoded-${encoding}`;
      bot.shop.control({ command: 'page', path, body: '<title>encoded</title>', encodings: [encoding] });
      const response = await bot.ask(path, [['Accept-Encoding', 'gzip, br']]);
      expect([response.status, response.header('content-encoding')]).toEqual([200, encoding]);
      const length = response.header('content-length');
      if (length !== undefined) expect(length).toBe(String(response.body.length));
    }
  });

  it('HTTP-03: never sees the conditionals of a crawler', async () => {
    const { path } = bot.shop.product(5);
    const response = await bot.ask(path, [
      ['If-None-Match', '"origin-etag"'],
      ['If-Modified-Since', new Date().toUTCString()],
    ]);
    expect(response.status).toBe(200);
    const [request] = bot.shop.requests().filter(({ url }) => url === path);
    expect(Object.keys(request?.headers ?? {})).not.toContain('if-none-match');
    expect(Object.keys(request?.headers ?? {})).not.toContain('if-modified-since');
  });

  it('HTTP-10: never sees cookies or authorization, and its cookies go no further', async () => {
    bot.shop.control({ command: 'answer', path: '/echo/private', echo: true, headers: { 'set-cookie': 's=new' } });
    const response = await bot.ask('/echo/private', [
      ['Cookie', 's=alice'],
      ['Authorization', 'Bearer x'],
    ]);
    expect(response.status).toBe(200);
    expect(response.body.toString()).not.toMatch(/alice|Bearer/);
    expect(response.header('set-cookie')).toBeUndefined();
  });

  it('HTTP-08: has its redirects relayed, not followed, and no Target made of them', async () => {
    bot.shop.control({ command: 'page', path: "/old'shoe", location: '/p/new' });
    const response = await bot.ask("/old'shoe", DEBUG);
    expect([response.status, response.header('location')]).toEqual([301, '/p/new']);
    expect(response.header('x-prerender-verdict')).toBe('not-candidate: status');
    expect(asked('/p/new')).toEqual([]);
  });

  it('HTTP-15: is proxied for what is no page, with its type and no Target', async () => {
    const paths = [
      '/fonts/inter.woff2?v=3',
      '/i/a.avif',
      '/site.webmanifest',
      '/sitemap.xml',
      '/api/x.json',
      '/download',
      '/logo',
    ];
    for (const path of paths) {
      const direct = await fetch(bot.shop.origin + path);
      const response = await bot.ask(path, DEBUG);
      expect([path, response.status, response.header('content-type')]).toEqual([
        path,
        200,
        direct.headers.get('content-type'),
      ]);
      expect([path, response.header('x-prerender-verdict')]).toEqual([path, 'not-candidate: content-type']);
    }
  });

  it('is a 502 when it cannot be reached, and a cut connection when it dies in mid-body', async () => {
    bot.shop.control({ command: 'page', path: '/hangs-up', hangUp: true });
    expect((await bot.ask('/hangs-up')).status).toBe(502);
    bot.shop.control({ command: 'page', path: '/breaks', body: 'x'.repeat(300_000), dropAfterBytes: 100_000 });
    await expect(bot.ask('/breaks')).rejects.toThrow();
  });
});

describe('who asks', () => {
  it('UA-05: our own worker goes straight to the origin, and a second hop is refused', async () => {
    const own = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126 Safari/537.36 HarperPrerender/1.0';
    const { path } = bot.shop.product(6);
    for (const userAgent of [own, `${own} Googlebot`]) {
      const response = await bot.ask(path, [['User-Agent', userAgent], ...DEBUG]);
      expect([response.status, response.header('x-prerender-verdict')]).toEqual([200, 'not-candidate: own-request']);
    }
    expect(await bot.target(path)).toBeUndefined();
    const [request] = bot.shop.requests().filter(({ url }) => url === path);
    expect(request?.headers['cdn-loop']).toBe('harper-prerender');
    expect((await bot.ask(path, [['CDN-Loop', 'harper-prerender']])).status).toBe(508);
    expect(
      (
        await bot.ask(path, [
          ['User-Agent', own],
          ['X-Prerender-Bypass', 'x'],
        ])
      ).status,
    ).toBe(508);
    expect(asked(path).length).toBe(2);
  });

  it('UA-06: nobody, or somebody with 20 kB of name, is answered', async () => {
    const { path } = bot.shop.product(7);
    for (const name of ['', 'x'.repeat(20_000)]) {
      const response = await bot.ask(path, [['User-Agent', name], ...DEBUG]);
      expect([response.status, response.header('x-prerender-bot')]).toEqual([200, 'other']);
    }
  });

  it('HTTP-13: unknown devices are the default one', async () => {
    const response = await bot.ask('/p/1', [['X-Device-Type', 'x|desktop'], ...DEBUG]);
    expect(response.header('x-prerender-key')).toBe(`https://${HOST}/p/1|desktop`);
    const other = await bot.ask('/p/1|x', DEBUG);
    expect(other.header('x-prerender-key')).toBe(`https://${HOST}/p/1%7Cx|desktop`);
  });

  it('is not asked for a password, whatever Authorization a crawler sends', async () => {
    expect((await bot.ask(bot.shop.product(8).path, [['Authorization', 'Basic bm90OnVz']])).status).toBe(200);
  });
});

describe('what is refused', () => {
  it('SEC-01, SEC-03, SEC-05: hosts that are not served, with no connection to anybody', async () => {
    let connections = 0;
    const trap = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const { port } = trap.address() as AddressInfo;
    const refused: [string, number][] = [
      [`http://127.0.0.1:${port}/`, 403],
      [`http://localhost:${port}/`, 403],
      [`https://${HOST}.evil.test/`, 403],
      [`https://evil${HOST}/`, 403],
      [`https://${HOST}@evil.test/`, 400],
      [`https://evil.test%23.${HOST}/`, 400],
      [`https://${HOST}:8443/`, 403],
      ['http://[::ffff:127.0.0.1]:9925/', 403],
      ['file:///etc/passwd', 400],
      ['data:text/html,x', 400],
    ];
    for (const [target, status] of refused) {
      expect([target, (await bot.ask(target)).status]).toEqual([target, status]);
    }
    const forwarded = await bot.ask(bot.shop.product(9).path, [['X-Forwarded-Host', 'evil.test'], ...DEBUG]);
    expect(forwarded.header('x-prerender-key')).toContain(`https://${HOST}/`);
    expect(connections).toBe(0);
    await new Promise((resolve) => trap.close(resolve));
    for (const target of [`https://${HOST}./`, 'https://SHOP.TEST/']) {
      expect((await bot.ask(target, DEBUG)).header('x-prerender-key')).toBe(`https://${HOST}/|desktop`);
    }
  });

  it('is what cannot be read or is too long', async () => {
    for (const [target, status] of [
      ['', 400],
      ['https://', 400],
      ['http://%', 400],
      [`/${'x'.repeat(9_000)}`, 414],
    ] as const) {
      const path = target.startsWith('/') ? `https://${HOST}${target}` : target;
      expect([status, (await bot.ask(path)).status]).toEqual([status, status]);
    }
  });
});

describe('clients that leave', () => {
  it('do no harm, at any moment', async () => {
    bot.shop.control({ command: 'page', path: '/slow', body: 'late', delayMs: 300 });
    bot.shop.control({ command: 'page', path: '/long', body: 'x'.repeat(2_000_000) });
    for (const path of ['/slow', '/long', '/slow', '/long']) {
      const controller = new AbortController();
      const pending = fetch(`${bot.booted.instance.httpUrl}/p/https://${HOST}${path}`, {
        signal: controller.signal,
        headers: { 'user-agent': GOOGLEBOT },
      });
      if (path === '/long') await pending;
      controller.abort();
      await pending.then((response) => response.text()).catch(() => undefined);
    }
    expect((await bot.ask('/long')).body.length).toBe(2_000_000);
  });
});
