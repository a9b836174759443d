import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleTarget } from '../fakes/sample-target.ts';
import { startRig, until, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe('methods', () => {
  it('HTTP-06: HEAD has the status and headers of GET, adds nothing and fills no cache', async () => {
    const cold = await rig.ask('/product/1', { method: 'HEAD' });
    expect([cold.status, cold.header('content-type'), cold.body.length]).toEqual([200, 'text/html', 0]);
    expect(rig.minted).toEqual([]);
    expect((await rig.ask('/product/1')).body.toString()).toBe('<h1>origin</h1>');
    await rig.storePage('/product/1');
    const get = await rig.ask('/product/1');
    const warm = await rig.ask('/product/1', { method: 'HEAD' });
    for (const name of ['etag', 'content-length', 'content-type', 'vary', 'cache-control']) {
      expect([name, warm.header(name)]).toEqual([name, get.header(name)]);
    }
    expect(warm.body.length).toBe(0);
  });

  it('HTTP-06: other methods pass through with their body, read no cache and add nothing', async () => {
    await rig.storePage('/product/1');
    for (const method of ['POST', 'PUT', 'OPTIONS', 'DELETE']) {
      const body = method === 'POST' || method === 'PUT' ? 'qty=1' : '';
      const response = await rig.ask('/product/1', {
        method,
        body,
        headers: [
          ['Content-Length', String(body.length)],
          ['Content-Type', 'text/plain'],
        ],
      });
      expect(response.body.toString()).toBe('<h1>origin</h1>');
      expect(rig.asked.at(-1)).toMatchObject({ method, body });
    }
    expect(rig.minted).toEqual([]);
    expect(rig.verdicts.every(({ kind }) => kind === 'not-candidate')).toBe(true);
  });

  it('TRACE is refused, since an origin would show what it is told', async () => {
    const response = await rig.ask('/product/1', { method: 'TRACE' });
    expect([response.status, response.header('allow')]).toEqual([405, expect.stringContaining('GET, HEAD')]);
    expect(rig.asked).toEqual([]);
  });

  it('refuse a body above the limit without asking the origin', async () => {
    rig.setOptions({ ingress: { ...rig.config.ingress, maxRequestBytes: 10 } });
    const response = await rig.ask('/product/1', {
      method: 'POST',
      body: 'x'.repeat(11),
      headers: [['Content-Length', '11']],
    });
    expect([response.status, response.body.toString()]).toEqual([413, expect.stringContaining('BODY_TOO_LARGE')]);
    const chunked = await rig.ask('/product/1', {
      method: 'POST',
      body: `c\r\n${'x'.repeat(12)}\r\n0\r\n\r\n`,
      headers: [['Transfer-Encoding', 'chunked']],
    });
    expect(chunked.status).toBe(413);
    expect(rig.asked).toEqual([]);
  });
});

describe('a miss on a suppressed Target', () => {
  const suppress = (over: Parameters<typeof sampleTarget>[1]): void =>
    void rig.targets.set('https://shop.test/a', sampleTarget('https://shop.test/a', { state: 'suppressed', ...over }));

  it('carries noindex beside what the origin says itself, once', async () => {
    suppress({ suppressedReason: 'noindex' });
    expect((await rig.ask('/a')).header('x-robots-tag')).toBe('noindex');
    const robots = async (line: string): Promise<string[]> => {
      rig.answer = (_request, response) => response.writeHead(200, { 'x-robots-tag': line }).end();
      return [...((await rig.ask('/a')).headers.get('x-robots-tag') ?? [])];
    };
    expect(await robots('max-image-preview:large')).toEqual(['max-image-preview:large', 'noindex']);
    expect(await robots('noindex, nofollow')).toEqual(['noindex, nofollow']);
    expect(rig.metrics).toContain('botMiss suppressed Googlebot');
  });

  it('carries the canonical that the rendered page declared unless the origin declares one', async () => {
    suppress({ suppressedReason: 'canonical-mismatch', suppressedCanonical: 'https://shop.test/b' });
    expect((await rig.ask('/a')).header('link')).toBe('<https://shop.test/b>; rel="canonical"');
    rig.answer = (_request, response) =>
      response.writeHead(200, { link: '<https://shop.test/c>; rel=canonical' }).end();
    expect((await rig.ask('/a')).header('link')).toBe('<https://shop.test/c>; rel=canonical');
  });
});

describe('what the origin is told', () => {
  it('HTTP-10: never a cookie or authorization, and no Set-Cookie comes back', async () => {
    for (const control of ['private', 'no-store', 'public']) {
      rig.answer = (request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html', 'set-cookie': ['s=new', 't=2'], 'cache-control': control })
          .end(`cookie ${request.headers.cookie} auth ${request.headers.authorization}`);
      const response = await rig.ask(`/product/${control}`, {
        headers: [
          ['Cookie', 's=alice'],
          ['Authorization', 'Bearer x'],
        ],
      });
      expect(response.body.toString()).toBe('cookie undefined auth undefined');
      expect(response.header('set-cookie')).toBeUndefined();
    }
    expect(rig.pageTable.rows()).toEqual([]);
  });

  it('is the device user agent, the public host, the scheme and our name in CDN-Loop, and no forwarded header', async () => {
    rig.setOptions({ origin: { ...rig.config.origin, bypassToken: 'secret' } });
    await rig.ask('/product/1', {
      headers: [
        ['X-Forwarded-For', '1.2.3.4'],
        ['CDN-Loop', 'edge; v=2'],
        ['Accept-Language', 'de'],
        ['X-Custom', 'x'],
        ['Connection', 'close, accept'],
        ['Accept', 'text/html'],
      ],
    });
    expect(rig.asked[0]?.headers).toEqual({
      host: 'shop.test',
      connection: 'keep-alive',
      'user-agent': rig.config.origin.userAgents['desktop'],
      'accept-language': 'de',
      'accept-encoding': 'identity',
      'cdn-loop': 'edge; v=2, harper-prerender',
      'x-forwarded-proto': 'https',
      'x-prerender-bypass': 'secret',
    });
  });

  it('is the user agent of the device that the request is for', async () => {
    await rig.ask('/product/1', { headers: [['X-Device-Type', 'mobile']] });
    expect(rig.asked[0]?.headers['user-agent']).toContain('Mobile');
  });

  it('URL-01: is the path byte for byte', async () => {
    rig.answer = (request, response) =>
      response.writeHead(request.url === '/p/ab%2F12' ? 200 : 404, { 'content-type': 'text/html' }).end('x');
    expect((await rig.ask('/p/ab%2F12')).status).toBe(200);
    await rig.handler.idle();
    expect(rig.minted.map(({ url }) => url)).toEqual(['https://shop.test/p/ab%2F12']);
    expect((await rig.ask('/p/ab/12')).status).toBe(404);
  });

  it('URL-02: is the query byte for byte', async () => {
    const query = 'maker=R%26D&size=4&color=red&size=5&instock&sig=%FF%E9&q=blue%20shoe&v=1;2';
    await rig.ask(`/search?${query}`);
    await rig.ask('/product/1?size=5&utm=x&color=%c3%a9&size=4&');
    expect(rig.asked.map(({ url }) => url)).toEqual([`/search?${query}`, '/product/1?size=5&color=%c3%a9&size=4&']);
  });

  it('drops the headers of the connection that the origin names', async () => {
    rig.answer = (_request, response) =>
      response.writeHead(200, { connection: 'close, x-internal', 'x-internal': '1', 'x-public': 'Grüße' }).end('x');
    const response = await rig.ask('/static/x');
    expect([response.header('x-internal'), response.header('x-public')]).toEqual([undefined, 'Grüße']);
  });
});

describe('an origin that fails', () => {
  it('is a 502 when nothing listens and when it answers nonsense, a 504 when it does not answer', async () => {
    rig.answer = (request) => request.socket.destroy();
    expect((await rig.ask('/a')).status).toBe(502);
    rig.answer = (request) => request.socket.end('nonsense\r\n\r\n');
    expect((await rig.ask('/b')).status).toBe(502);
    rig.setOptions({ origin: { ...rig.config.origin, headersTimeout: 100 } });
    rig.answer = () => undefined;
    const late = await rig.ask('/c');
    expect([late.status, late.body.toString()]).toEqual([504, expect.stringContaining('ORIGIN_TIMEOUT')]);
    expect(rig.metrics).toContain('botMiss origin-error Googlebot');
    expect(rig.minted).toEqual([]);
  });

  it('is a 504 when no connection to it becomes free in time', async () => {
    rig.setOptions({ origin: { ...rig.config.origin, connections: 1, connectTimeout: 50, headersTimeout: 100 } });
    rig.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('busy');
    };
    const busy = await fetch(`${rig.frontUrl}/p/https://shop.test/busy`);
    const waited = await rig.ask('/waits');
    expect([waited.status, waited.body.toString()]).toEqual([504, expect.stringContaining('within 150 ms')]);
    await busy.body?.cancel();
    await until('the connection is free', () => rig.running.size === 0);
    rig.answer = (_request, response) => response.end('free');
    expect((await rig.ask('/later')).body.toString()).toBe('free');
    expect(rig.asked.map(({ url }) => url)).toEqual(['/busy', '/later']);
  });

  it('is a 502 when its headers are too large', async () => {
    rig.setOptions({ origin: { ...rig.config.origin, maxHeaderBytes: 4_096 } });
    rig.answer = (_request, response) => response.writeHead(200, { 'x-large': 'x'.repeat(10_000) }).end('x');
    expect((await rig.ask('/a')).status).toBe(502);
  });

  it('cuts the client off when it dies in the middle of the body', async () => {
    rig.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' });
      response.write('half', () => setTimeout(() => response.destroy(), 50));
    };
    await expect(rig.ask('/a')).rejects.toThrow();
    expect(rig.logger.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('has its answer streamed: the first bytes come before the last are sent', async () => {
    let finish: () => void = () => undefined;
    rig.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('first ');
      finish = () => response.end('last');
    };
    const response = await fetch(`${rig.frontUrl}/p/https://shop.test/a`);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first ');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last');
  });
});

describe('a client that leaves', () => {
  it('closes the connection to the origin, before and within the body', async () => {
    let open = 0;
    rig.answer = (request, response) => {
      open++;
      request.socket.on('close', () => open--);
      if (request.url === '/slow') return;
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('x');
    };
    for (const path of ['/slow', '/streamed']) {
      const controller = new AbortController();
      const pending = fetch(`${rig.frontUrl}/p/https://shop.test${path}`, { signal: controller.signal });
      pending.catch(() => undefined);
      await until('the origin is asked', () => open === 1);
      if (path === '/streamed') await pending;
      controller.abort();
      await until('its connection is closed', () => open === 0);
    }
    expect(rig.logger.lines).toEqual([]);
  });
});
