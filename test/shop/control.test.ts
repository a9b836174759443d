import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { supportedEncodings } from './encodings.ts';
import { ask, askText, canonicalOf, command } from './raw-request.ts';
import { startShop, type LoggedRequest, type Shop } from './shop.ts';

let shop: Shop;
let path: string;
beforeEach(async () => {
  shop = await startShop({ products: 20, publicOrigin: 'https://shop.example' });
  path = shop.product(5).path;
});
afterEach(() => shop.stop());

const tell = async (name: string, body: object): Promise<Record<string, unknown>> => {
  const { status, data } = await command(shop.origin, name, body);
  expect(data).not.toHaveProperty('error');
  expect(status).toBe(200);
  return data;
};

describe('products', () => {
  test('a price changes in the data and in the state', async () => {
    expect(await tell('price', { id: 5, price: 12.5 })).toMatchObject({ product: { id: 5, price: 12.5 } });
    expect(JSON.parse(await askText(shop.origin, '/api/product/5.json'))).toHaveProperty('price', '12.50');
  });

  test('a re-slugged product names its new spelling under the old one', async () => {
    await tell('slug', { id: 5, slug: 'new-name' });
    expect(canonicalOf(await askText(shop.origin, path))).toBe('https://shop.example/product/prd-5/new-name.jsp');
    expect(JSON.parse(await askText(shop.origin, '/__shop/product/5'))).toHaveProperty(
      'path',
      '/product/prd-5/new-name.jsp',
    );
  });

  test('sold out and restocked', async () => {
    expect(await tell('sell-out', { id: 5 })).toMatchObject({ product: { inStock: false } });
    expect(await tell('restock', { id: 5 })).toMatchObject({ product: { inStock: true } });
  });

  test('reset takes back everything', async () => {
    const before = shop.product(5);
    await tell('price', { id: 5, price: 1 });
    await tell('slug', { id: 5, slug: 'x' });
    await tell('sell-out', { id: 5 });
    await tell('answer', { id: 5, status: 500 });
    await tell('page', { path: '/pages/a.html', body: 'a' });
    await tell('reset', {});
    expect(shop.product(5)).toEqual(before);
    expect((await ask(shop.origin, path)).status).toBe(200);
    expect((await ask(shop.origin, '/pages/a.html')).status).toBe(404);
  });
});

describe('answers', () => {
  test.each([403, 404, 410, 429, 500, 503])('%i for a product in every spelling, and back', async (status) => {
    await tell('answer', { id: 5, status });
    expect((await ask(shop.origin, path)).status).toBe(status);
    const other = await ask(shop.origin, '/product/prd-5/product.jsp');
    expect(other.status).toBe(status);
    expect(other.body.toString()).not.toContain('/assets/app.js');
    expect((await ask(shop.origin, shop.product(6).path)).status).toBe(200);
    await tell('clear', { id: 5 });
    expect((await ask(shop.origin, path)).status).toBe(200);
  });

  test('only so many times', async () => {
    await tell('answer', { path, status: 503, times: 2 });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await ask(shop.origin, path)).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  test('an exact URL wins over its path, the path over the product, the product over a prefix', async () => {
    await tell('answer', { path: '/product/*', status: 500 });
    await tell('answer', { id: 5, status: 501 });
    await tell('answer', { path, status: 502 });
    await tell('answer', { path: `${path}?a=%2f`, status: 503 });
    const asked = [`${path}?a=%2f`, `${path}?a=%2F`, '/product/prd-5/x', '/product/prd-6/x'];
    const statuses = await Promise.all(asked.map(async (url) => (await ask(shop.origin, url)).status));
    expect(statuses).toEqual([503, 502, 501, 500]);
  });

  test('redirects as told, byte for byte', async () => {
    await tell('answer', { path: "/old'shoe", location: '/p/new?a=%2f' });
    const moved = await ask(shop.origin, "/old'shoe");
    expect([moved.status, moved.headers.location]).toEqual([301, '/p/new?a=%2f']);
    await tell('answer', { id: 5, status: 302, location: 'https://other.example/' });
    expect((await ask(shop.origin, path)).status).toBe(302);
  });

  test('slowly', async () => {
    await tell('answer', { path, delayMs: 150 });
    const start = performance.now();
    expect((await ask(shop.origin, path)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(145);
  });

  test('cuts the connection in mid-body', async () => {
    await tell('answer', { path, dropAfterBytes: 100 });
    await expect(ask(shop.origin, path)).rejects.toThrow(/aborted|ECONNRESET/);
    const response = await fetch(shop.origin + path);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('cuts the connection before any answer', async () => {
    await tell('answer', { path, hangUp: true });
    await expect(ask(shop.origin, path)).rejects.toThrow(/hang up|ECONNRESET/);
  });

  test('encodes the body as told, whatever is accepted', async () => {
    const plain = await ask(shop.origin, path);
    const decoders = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };
    for (const [name, decode] of Object.entries(decoders)) {
      await tell('answer', { path, encodings: [name] });
      const answer = await ask(shop.origin, path);
      expect(answer.headers['content-encoding']).toBe(name);
      expect(decode(answer.body)).toEqual(plain.body);
    }
  });

  test('stacks encodings in the order of the header', async () => {
    const plain = await ask(shop.origin, path);
    await tell('answer', { path, encodings: ['gzip', 'br'] });
    const answer = await ask(shop.origin, path);
    expect(answer.headers['content-encoding']).toBe('gzip, br');
    expect(gunzipSync(brotliDecompressSync(answer.body))).toEqual(plain.body);
  });

  test('zstd is served where Node.js can write it, and refused with a reason elsewhere', async () => {
    const can = supportedEncodings().includes('zstd');
    const { status, data } = await command(shop.origin, 'answer', { path, encodings: ['zstd'] });
    expect(status).toBe(can ? 200 : 400);
    if (can) expect((await ask(shop.origin, path)).headers['content-encoding']).toBe('zstd');
    else expect(data).toHaveProperty('error', expect.stringContaining('(gzip, br, deflate)'));
  });

  test('adds, repeats and removes headers', async () => {
    await tell('answer', {
      id: 5,
      headers: {
        'Cache-Control': null,
        'Set-Cookie': ['a=1', 'b=2'],
        'X-Robots-Tag': 'noindex',
        Link: '<https://shop.example/x>; rel="canonical"',
      },
    });
    const { headers } = await ask(shop.origin, path);
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-robots-tag': 'noindex' });
    expect(headers.link).toBe('<https://shop.example/x>; rel="canonical"');
    expect(headers).not.toHaveProperty('cache-control');
  });

  test('given validators answer conditionals with 304', async () => {
    const date = 'Tue, 01 Sep 2026 00:00:00 GMT';
    await tell('answer', { path, headers: { etag: '"v1"', 'last-modified': date }, encodings: ['gzip'] });
    const status = async (headers: Record<string, string>) => (await ask(shop.origin, path, { headers })).status;
    expect(await status({ 'if-none-match': '"v0", W/"v1"' })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"v2"', 'if-modified-since': date })).toBe(200);
    expect(await status({ 'if-modified-since': date })).toBe(304);
    expect(await status({ 'if-modified-since': 'Mon, 31 Aug 2026 00:00:00 GMT' })).toBe(200);
    expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200);
  });

  test('another canonical, none, or more in the head', async () => {
    await tell('answer', { id: 5, canonical: 'https://shop.example/other?a=1&b=2' });
    expect(canonicalOf(await askText(shop.origin, path))).toBe('https://shop.example/other?a=1&b=2');
    await tell('answer', { id: 5, canonical: null, head: '<meta name="robots" content="noindex">' });
    const html = await askText(shop.origin, path);
    expect(canonicalOf(html)).toBeUndefined();
    expect(html).toContain('<meta name="robots" content="noindex">\n</head>');
  });

  test('echo at any address', async () => {
    await tell('answer', { path: '/p/ab%2F12', echo: true });
    const answer = await ask(shop.origin, '/p/ab%2F12?x');
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toContain('GET /p/ab%2F12?x HTTP/1.1');
    expect((await ask(shop.origin, '/p/ab/12')).status).toBe(404);
  });
});

describe('pages', () => {
  test('are served with status, headers and body as told', async () => {
    await tell('page', { path: '/pages/a.html', status: 404, headers: { 'x-a': 'b' }, body: '<h1>gone</h1>' });
    const answer = await ask(shop.origin, '/pages/a.html?any=1');
    expect([answer.status, answer.headers['x-a'], answer.body.toString()]).toEqual([404, 'b', '<h1>gone</h1>']);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    await tell('clear', { path: '/pages/a.html' });
    expect((await ask(shop.origin, '/pages/a.html')).body.toString()).not.toContain('gone');
  });

  test('may replace an address of the shop and may be changed by an answer on top', async () => {
    await tell('page', { path: '/robots.txt', body: 'User-agent: *', headers: { 'content-type': 'text/plain' } });
    await tell('answer', { path: '/robots.txt', headers: { 'x-top': '1' } });
    const answer = await ask(shop.origin, '/robots.txt');
    expect([answer.body.toString(), answer.headers['content-type'], answer.headers['x-top']]).toEqual([
      'User-agent: *',
      'text/plain',
      '1',
    ]);
  });
});

describe('the log', () => {
  const read = async (since: number): Promise<{ last: number; dropped: number; requests: LoggedRequest[] }> =>
    JSON.parse(await askText(shop.origin, `/__shop/requests?since=${since}`)) as Awaited<ReturnType<typeof read>>;

  test('has what was asked, byte for byte, in order, without control requests', async () => {
    const raw = "/old'shoe?maker=R%26D&sig=%FF%e9&q=blue%20shoe&v=1;2&&|";
    await ask(shop.origin, raw, { headers: { 'User-Agent': 'Test/1.0', 'X-Two': 'b' } });
    await ask(shop.origin, path, { method: 'HEAD' });
    const { last, requests } = await read(0);
    expect(last).toBe(2);
    expect(requests.map(({ n, method, url }) => [n, method, url])).toEqual([
      [1, 'GET', raw],
      [2, 'HEAD', path],
    ]);
    expect(requests[0]?.headers).toMatchObject({ 'user-agent': 'Test/1.0', 'x-two': 'b' });
    expect(requests[0]?.rawHeaders).toContain('X-Two');
    expect(Math.abs((requests[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(shop.requests()).toEqual(requests);
  });

  test('gives what is new since a position, and is cleared without losing count', async () => {
    await ask(shop.origin, '/a');
    const { last } = await read(0);
    await ask(shop.origin, '/b');
    expect((await read(last)).requests.map(({ url }) => url)).toEqual(['/b']);
    await ask(shop.origin, '/__shop/requests', { method: 'DELETE' });
    expect(await read(0)).toEqual({ last: 2, dropped: 0, requests: [] });
    await ask(shop.origin, '/c');
    expect((await read(2)).requests.map(({ n, url }) => [n, url])).toEqual([[3, '/c']]);
  });

  test('keeps the newest and counts what it dropped', async () => {
    const small = await startShop({ products: 1, logLimit: 10 });
    try {
      for (let n = 1; n <= 13; n += 1) await ask(small.origin, `/${n}`);
      const { requests, dropped } = JSON.parse(await askText(small.origin, '/__shop/requests')) as {
        requests: LoggedRequest[];
        dropped: number;
      };
      expect(requests.length).toBeLessThanOrEqual(11);
      expect(requests.length + dropped).toBe(13);
      expect(requests.at(-1)?.url).toBe('/13');
    } finally {
      await small.stop();
    }
  });
});

describe('bad commands', () => {
  test.each<[string, unknown, RegExp]>([
    ['prise', { id: 1 }, /no command "prise"; there are price, slug/],
    ['', { id: 1 }, /no command undefined/],
    ['price', 'not json', /not JSON/],
    ['price', [], /JSON object/],
    ['price', { id: 1 }, /price needs "price": dollars/],
    ['price', { id: 21, price: 1 }, /price\.id is 21; it must be the id of a product, a whole number from 1 to 20/],
    ['price', { id: 1, price: -1 }, /price\.price is -1/],
    ['price', { id: 1, price: 1, currency: 'EUR' }, /no field "currency"; it takes id, price/],
    ['price', { id: 1, price: 1, constructor: 1 }, /no field "constructor"/],
    ['slug', { id: 1, slug: 'A b' }, /lower-case words/],
    ['answer', { status: 500 }, /exactly one of "path"/],
    ['answer', { path: '/a', id: 1 }, /exactly one of "path"/],
    ['answer', { path: '/__shop/requests' }, /not below \/__shop/],
    ['answer', { path: 'a' }, /starts with "\/"/],
    ['answer', { path: '/a', status: 99 }, /from 200 to 599/],
    ['answer', { path: '/a', encodings: ['lzma'] }, /gzip, br, deflate/],
    ['answer', { path: '/a', headers: { 'x-a': 'b\nc' } }, /a line of text/],
    ['page', { body: 'x' }, /page needs "path"/],
  ])('%s %j', async (name, body, message) => {
    const { status, data } = await command(shop.origin, name, body);
    expect(status).toBe(400);
    expect(data.error).toMatch(message);
  });

  test('throw the same message in the process', () => {
    expect(() => shop.control({ command: 'sell-out', id: 0 })).toThrow(/whole number from 1 to 20/);
  });

  test('unknown control addresses and positions say what there is', async () => {
    expect(await ask(shop.origin, '/__shop/product/99')).toMatchObject({ status: 404 });
    expect(await ask(shop.origin, '/__shop/nothing')).toMatchObject({ status: 404 });
    expect(await ask(shop.origin, '/__shop/requests?since=x')).toMatchObject({ status: 400 });
    expect(await ask(shop.origin, '/__shop', { method: 'PUT' })).toMatchObject({ status: 405 });
    expect(JSON.parse(await askText(shop.origin, '/__shop'))).toMatchObject({ products: 20, listed: 20 });
  });
});
