import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe('encodings', () => {
  it('serves gzip, br and the plain body by what is accepted, with an ETag each and one Vary', async () => {
    await rig.storePage('/product/1');
    const etags = new Set<string | undefined>();
    for (const [accept, encoding] of [
      ['gzip, deflate, br', 'gzip'],
      ['br', 'br'],
      ['br;q=1, gzip;q=0.5', 'br'],
      ['identity', undefined],
      ['gzip;q=0', undefined],
      ['*', 'gzip'],
    ] as const) {
      const response = await rig.ask('/product/1', { headers: [['Accept-Encoding', accept]] });
      expect([accept, response.header('content-encoding')]).toEqual([accept, encoding]);
      expect(response.header('content-length')).toBe(String(response.body.length));
      expect(response.header('vary')).toBe('accept-encoding, x-device-type');
      etags.add(response.header('etag'));
    }
    expect(etags.size).toBe(3);
  });

  it('HTTP-01: relays the bytes of every content encoding with the header that describes them', async () => {
    for (const encoding of ['br', 'gzip', 'deflate', 'zstd', 'gzip, br']) {
      const bytes = Buffer.from(`bytes of ${encoding}`);
      rig.answer = (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding, 'content-length': bytes.length })
          .end(bytes);
      const response = await rig.ask(`/product/${encodeURIComponent(encoding)}`, {
        headers: [['Accept-Encoding', 'gzip, br']],
      });
      expect(response.header('content-encoding')).toBe(encoding);
      expect(response.header('content-length')).toBe(String(bytes.length));
      expect(response.body).toEqual(bytes);
    }
    expect(rig.asked[0]?.headers['accept-encoding']).toBe('br, gzip');
  });
});

describe('conditional requests', () => {
  it('HTTP-03: never send the conditionals of a crawler to the origin of a page that is rendered', async () => {
    rig.answer = (request, response) => {
      if (request.headers['if-none-match'] ?? request.headers['if-modified-since']) {
        response.writeHead(304, { 'content-encoding': 'gzip' }).end();
      } else {
        const bytes = gzipSync('<h1>full</h1>');
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip', etag: '"o"' }).end(bytes);
      }
    };
    const response = await rig.ask('/product/1', {
      headers: [
        ['If-None-Match', '"origin-etag"'],
        ['If-Modified-Since', new Date(Date.now() - 86_400_000).toUTCString()],
        ['Accept-Encoding', 'gzip'],
      ],
    });
    expect(response.status).toBe(200);
    expect(gunzipSync(response.body).toString()).toBe('<h1>full</h1>');
    expect(response.header('etag')).toBeUndefined();
  });

  it('HTTP-03: relay a 304 of a page that only passes through, without a body and adding nothing', async () => {
    rig.answer = (_request, response) => response.writeHead(304, { 'content-encoding': 'gzip', etag: '"o"' }).end();
    const response = await rig.ask('/static/a.css', { headers: [['If-None-Match', '"o"']] });
    expect([response.status, response.body.length, response.header('etag')]).toEqual([304, 0, '"o"']);
    expect(response.header('content-length')).toBeUndefined();
    expect(rig.minted).toEqual([]);
  });

  it('HTTP-04: match lists, weak tags and *, and each 304 has the headers of the 200', async () => {
    await rig.storePage('/product/1');
    const full = await rig.ask('/product/1', { headers: [['Accept-Encoding', 'gzip']] });
    const etag = full.header('etag') ?? '';
    const long = 'Thu, 01 Jan 1970 00:00:00 GMT';
    const cases: [number, [string, string][]][] = [
      [304, [['If-None-Match', `W/${etag}`]]],
      [304, [['If-None-Match', `"v0", ${etag}`]]],
      [304, [['If-None-Match', '*']]],
      [304, [['If-None-Match', etag.replace('-gzip"', '"')]]],
      [200, [['If-None-Match', '"v0"']]],
      [200, [['If-None-Match', etag.replaceAll('"', '')]]],
      [
        304,
        [
          ['If-None-Match', etag],
          ['If-Modified-Since', long],
        ],
      ],
      [
        200,
        [
          ['If-None-Match', '"v0"'],
          ['If-Modified-Since', new Date(Date.now() + 1e6).toUTCString()],
        ],
      ],
      [304, [['If-Modified-Since', full.header('last-modified') ?? '']]],
      [200, [['If-Modified-Since', long]]],
      [200, [['If-Modified-Since', 'soon']]],
    ];
    for (const [status, headers] of cases) {
      for (const method of ['GET', 'HEAD']) {
        const response = await rig.ask('/product/1', { method, headers: [['Accept-Encoding', 'gzip'], ...headers] });
        expect([headers, method, response.status]).toEqual([headers, method, status]);
        if (status !== 304) continue;
        expect(response.body.length).toBe(0);
        for (const name of ['etag', 'cache-control', 'cdn-cache-control', 'vary', 'expires', 'last-modified']) {
          expect([name, response.header(name)]).toEqual([name, full.header(name)]);
        }
      }
    }
  });
});
