import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeDocument } from './fake-document.ts';
import { ask, askText, canonicalOf } from './raw-request.ts';
import { startShop, type Shop } from './shop.ts';

const PUBLIC = 'https://shop.example';
const RUGS = '/catalog/blue-bath-rugs.jsp?CN=Color:Blue+Silhouette:Bath%20Rugs';

interface CatalogData {
  total: number;
  canonical: string;
  products: { id: string }[];
}

let shop: Shop;
beforeAll(async () => {
  shop = await startShop({ products: 2000, publicOrigin: PUBLIC, scriptDelayMs: 1 });
});
afterAll(() => shop.stop());

/** Loads a page and runs its script over a small stand-in for a DOM, as a browser would. */
async function browse(origin: string, path: string): Promise<FakeDocument> {
  const document = new FakeDocument(await askText(origin, path));
  await new Promise<void>((resolve, reject) => {
    const page = {
      document,
      location: { search: path.includes('?') ? path.slice(path.indexOf('?')) : '' },
      fetch: (url: string, options: RequestInit) => fetch(origin + url, options),
      navigator: { sendBeacon: () => resolve() },
      console: { error: reject },
      setTimeout,
      performance,
    };
    askText(origin, '/assets/app.js').then((script) => void runInNewContext(script, page), reject);
  });
  return document;
}

function structuredData(document: FakeDocument): Record<string, unknown> {
  const script = document.head.descendants().find((element) => element.get('type') === 'application/ld+json');
  return JSON.parse(script?.textContent ?? '{}') as Record<string, unknown>;
}

describe('product pages', () => {
  test('the server sends a shell without name, price and structured data', async () => {
    const { path, name, price } = shop.product(7);
    const answer = await ask(shop.origin, path);
    const html = answer.body.toString();
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(html).toContain('<title></title>');
    for (const absent of [name, String(price), 'ld+json', 'class="card"']) expect(html).not.toContain(absent);
    expect(canonicalOf(html)).toBe(PUBLIC + path);
  });

  test('the script fills in title, price, structured data and related products', async () => {
    const product = shop.product(7);
    const document = await browse(shop.origin, product.path);
    expect(document.title).toBe(`${product.name} by ${product.brand} | Alder & Loom`);
    expect(document.getElementById('details').text()).toContain(`$${product.price.toFixed(2)}`);
    expect(document.getElementById('grid').children).toHaveLength(4);
    expect(structuredData(document)).toMatchObject({
      '@type': 'Product',
      name: product.name,
      url: product.url,
      offers: { price: product.price.toFixed(2), priceCurrency: 'USD', availability: 'https://schema.org/InStock' },
    });
  });

  test.each(['wrong-slug.jsp', 'product.jsp', 'x', 'product.jsp?utm_source=a', '%20.jsp'])(
    'slug %s gives the same product and the canonical of the sitemap',
    async (slug) => {
      const html = await askText(shop.origin, `/product/prd-7/${slug}`);
      expect(html).toBe(await askText(shop.origin, shop.product(7).path));
      expect(canonicalOf(html)).toBe(shop.product(7).url);
    },
  );

  test.each([
    '/product/prd-2001/x.jsp',
    '/product/prd-0/x.jsp',
    '/product/prd-07/x.jsp',
    '/api/product/2001.json',
    '/nothing',
  ])('%s is not found', async (path) => {
    expect((await ask(shop.origin, path)).status).toBe(404);
  });

  test('the canonical may be left to the script', async () => {
    const scripted = await startShop({ products: 10, publicOrigin: PUBLIC, canonicalIn: 'script', scriptDelayMs: 1 });
    try {
      expect(canonicalOf(await askText(scripted.origin, scripted.product(3).path))).toBeUndefined();
      const document = await browse(scripted.origin, '/product/prd-3/other.jsp');
      const link = document.head.descendants().find((element) => element.get('rel') === 'canonical');
      expect(link?.get('href')).toBe(scripted.product(3).url);
    } finally {
      await scripted.stop();
    }
  });
});

describe('catalog pages', () => {
  const dataOf = async (query: string): Promise<CatalogData> =>
    JSON.parse(await askText(shop.origin, `/api/catalog.json?${query}`)) as CatalogData;

  test('the server sends a shell and the script fills in title, list and grid', async () => {
    const html = await askText(shop.origin, RUGS);
    expect(html).toContain('<title></title>');
    for (const absent of ['ld+json', 'Blue Bath Rugs', '/product/prd-']) expect(html).not.toContain(absent);
    const document = await browse(shop.origin, RUGS);
    const { total, products } = await dataOf('CN=Color:Blue+Silhouette:Bath%20Rugs');
    expect(document.title).toBe('Blue Bath Rugs | Alder & Loom');
    expect(total).toBeGreaterThan(5);
    expect(document.getElementById('grid').children).toHaveLength(products.length);
    expect(structuredData(document)).toMatchObject({ '@type': 'ItemList', numberOfItems: total });
  });

  test.each([
    ['another order', '/catalog/blue-bath-rugs.jsp?CN=Silhouette:Bath%20Rugs+Color:Blue'],
    ['a wrong slug', '/catalog/red-socks.jsp?CN=Color:Blue+Silhouette:Bath%20Rugs'],
    ['a truncated slug', '/catalog/blue-ba.jsp?CN=Color:Blue+Silhouette:Bath%20Rugs'],
    ['%2B between facets', '/catalog/blue-bath-rugs.jsp?CN=Color:Blue%2BSilhouette:Bath%20Rugs'],
    ['%20 between facets', '/catalog/blue-bath-rugs.jsp?CN=Color:Blue%20Silhouette:Bath%20Rugs'],
    ['a space written as plus', '/catalog/blue-bath-rugs.jsp?CN=Color:Blue+Silhouette:Bath+Rugs'],
    ['a tracking parameter', `${RUGS}&utm_source=a`],
  ])('%s: the same products and the canonical of the sitemap', async (_what, path) => {
    expect(canonicalOf(await askText(shop.origin, path))).toBe(PUBLIC + RUGS);
    const expected = await dataOf(RUGS.split('?')[1] ?? '');
    expect(await dataOf(path.split('?')[1] ?? '')).toEqual(expected);
    expect(await askText(shop.origin, '/sitemap-catalog.xml')).toContain(`<loc>${PUBLIC}${RUGS}</loc>`);
  });

  test('%252B: a 200 without products and a canonical made up from the junk', async () => {
    const path = '/catalog/blue-bath-rugs.jsp?CN=Color:Blue%252BSilhouette:Bath%20Rugs';
    const answer = await ask(shop.origin, path);
    const canonical = canonicalOf(answer.body.toString()) ?? '';
    expect(answer.status).toBe(200);
    expect((await dataOf(path.split('?')[1] ?? '')).products).toEqual([]);
    expect(canonical).toContain('%25252B');
    expect([PUBLIC + path, PUBLIC + RUGS]).not.toContain(canonical);
    const next = canonicalOf(await askText(shop.origin, canonical.slice(PUBLIC.length)));
    expect(next).not.toBe(canonical);
  });

  test('plus and %2B inside a value are different values', async () => {
    const brand = await dataOf('CN=Brand:ACME%2BCO');
    expect(brand.total).toBeGreaterThan(100);
    expect(brand.canonical).toBe(`${PUBLIC}/catalog/acme-co.jsp?CN=Brand:ACME%2BCO`);
    const empty = await askText(shop.origin, '/catalog/acme-co.jsp?CN=Brand:ACME+CO');
    expect((await dataOf('CN=Brand:ACME+CO')).total).toBe(0);
    expect(canonicalOf(empty)).toBe(`${PUBLIC}/catalog/all-products.jsp`);
  });
});

describe('other addresses', () => {
  test.each([
    ['/fonts/inter.woff2?v=3', 'font/woff2'],
    ['/i/a.avif', 'image/avif'],
    ['/i/7.svg', 'image/svg+xml'],
    ['/site.webmanifest', 'application/manifest+json'],
    ['/api/x.json', 'application/json'],
    ['/download', 'application/pdf'],
    ['/logo', 'image/png'],
    ['/assets/app.js', 'text/javascript; charset=utf-8'],
    ['/assets/site.css', 'text/css; charset=utf-8'],
    ['/', 'text/html; charset=utf-8'],
    ['/cart', 'text/html; charset=utf-8'],
  ])('%s is %s', async (path, type) => {
    const answer = await ask(shop.origin, path);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    expect(answer.body.length).toBeGreaterThan(0);
  });

  test('HEAD answers the headers of GET without a body', async () => {
    const get = await ask(shop.origin, shop.product(1).path);
    const head = await ask(shop.origin, shop.product(1).path, { method: 'HEAD' });
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-length']).toBe(String(get.body.length));
  });

  test('other methods are refused, and the beacon takes a POST', async () => {
    const refused = await ask(shop.origin, shop.product(1).path, { method: 'PUT', body: 'x' });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await ask(shop.origin, '/beacon', { method: 'POST', body: '{}' })).status).toBe(204);
  });

  test('the echo shows request line, headers and body as received', async () => {
    const path = '/echo/p/ab%2F12?maker=R%26D&instock&sig=%FF%E9&q=blue%20shoe&v=1;2&<b>';
    const html = await askText(shop.origin, path, { method: 'POST', headers: { 'X-MiXed': 'A "b"' }, body: 'hi' });
    const text = /<pre>(.*)<\/pre>/s.exec(html)?.[1] ?? '';
    const seen: unknown = JSON.parse(
      text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    );
    expect(seen).toMatchObject({ requestLine: `POST ${path} HTTP/1.1`, body: 'hi' });
    expect(seen).toHaveProperty('rawHeaders', expect.arrayContaining(['X-MiXed', 'A "b"']));
  });
});
