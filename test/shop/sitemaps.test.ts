import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, askText } from './raw-request.ts';
import { startShop, type Shop } from './shop.ts';

const PUBLIC = 'https://shop.example';
const locs = (xml: string): string[] => [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc ?? '');

let shop: Shop;
beforeEach(async () => {
  shop = await startShop({ products: 25, publicOrigin: PUBLIC, entriesPerSitemap: 10 });
});
afterEach(() => shop.stop());

const child = (n: number): Promise<string> => askText(shop.origin, `/sitemap-products-${n}.xml`);

describe('sitemaps', () => {
  test('robots.txt names the index', async () => {
    expect(await askText(shop.origin, '/robots.txt')).toMatch(
      /^User-agent: \*\n[^]*\nSitemap: https:\/\/shop\.example\/sitemap\.xml\n$/,
    );
  });

  test('the index lists every child, and the children every product once', async () => {
    const children = locs(await askText(shop.origin, '/sitemap.xml'));
    expect(children).toEqual([
      ...[1, 2, 3].map((n) => `${PUBLIC}/sitemap-products-${n}.xml`),
      `${PUBLIC}/sitemap-catalog.xml`,
    ]);
    const products = (await Promise.all([1, 2, 3].map(child))).flatMap(locs);
    expect(products).toEqual(Array.from({ length: 25 }, (_, n) => shop.product(n + 1).url));
    expect((await ask(shop.origin, '/sitemap-products-4.xml')).status).toBe(404);
  });

  test('every listed address answers', async () => {
    const catalog = locs(await askText(shop.origin, '/sitemap-catalog.xml')).map((loc) => loc.replaceAll('&amp;', '&'));
    expect(catalog.length).toBeGreaterThan(30);
    for (const loc of [...catalog, shop.product(25).url]) {
      expect((await ask(shop.origin, loc.slice(PUBLIC.length))).status, loc).toBe(200);
    }
  });

  test('a sold-out product leaves the sitemap, later entries move up, and its page stays', async () => {
    const url = shop.product(3).url;
    shop.control({ command: 'sell-out', id: 3 });
    const first = locs(await child(1));
    expect(first).not.toContain(url);
    expect(first[9]).toBe(shop.product(11).url);
    expect(locs(await child(3))).toHaveLength(4);
    expect((await ask(shop.origin, shop.product(3).path)).status).toBe(200);
    expect(JSON.parse(await askText(shop.origin, '/api/product/3.json'))).toHaveProperty('inStock', false);
    shop.control({ command: 'restock', id: 3 });
    expect(locs(await child(1))).toContain(url);
  });

  test('with several sold out, the children still list each of the others once', async () => {
    const gone = [1, 2, 10, 11, 12, 21, 25];
    for (const id of gone) shop.control({ command: 'sell-out', id });
    const listed = (await Promise.all([1, 2].map(child))).flatMap(locs);
    const others = Array.from({ length: 25 }, (_, n) => n + 1).filter((id) => !gone.includes(id));
    expect(listed).toEqual(others.map((id) => shop.product(id).url));
    expect((await ask(shop.origin, '/sitemap-products-3.xml')).status).toBe(404);
  });

  test('when everything is sold out, no product child is left', async () => {
    for (let id = 1; id <= 25; id += 1) shop.control({ command: 'sell-out', id });
    expect(locs(await askText(shop.origin, '/sitemap.xml'))).toEqual([`${PUBLIC}/sitemap-catalog.xml`]);
  });

  test('a new price and a new slug change lastmod, and the slug the address', async () => {
    const lastmods = async (): Promise<string[]> =>
      [...(await child(1)).matchAll(/<lastmod>(.*?)<\/lastmod>/g)].map(([, at]) => at ?? '');
    const before = await lastmods();
    expect(new Set(before.map((at) => Number.isNaN(Date.parse(at))))).toEqual(new Set([false]));
    shop.control({ command: 'price', id: 2, price: 1.5 });
    shop.control({ command: 'slug', id: 4, slug: 'quite-another' });
    const after = await lastmods();
    expect(after.map((at, index) => at !== before[index])).toEqual([
      false,
      true,
      false,
      true,
      ...Array<boolean>(6).fill(false),
    ]);
    expect(locs(await child(1))[3]).toBe(`${PUBLIC}/product/prd-4/quite-another.jsp`);
  });

  test('unchanged children answer 304 to both conditionals, changed ones 200 even within the same second', async () => {
    const path = '/sitemap-products-1.xml';
    const conditional = async (headers: Record<string, string>) => (await ask(shop.origin, path, { headers })).status;
    for (let round = 0; round < 3; round += 1) {
      const { headers } = await ask(shop.origin, path);
      const byTag = { 'if-none-match': headers.etag ?? '' };
      const byDate = { 'if-modified-since': headers['last-modified'] ?? '' };
      expect([await conditional(byTag), await conditional(byDate)]).toEqual([304, 304]);
      shop.control({ command: 'price', id: 5, price: 10 + round });
      expect([await conditional(byTag), await conditional(byDate)]).toEqual([200, 200]);
    }
  });

  test('a 304 keeps the validators and has no body', async () => {
    const path = '/sitemap-products-2.xml';
    const { headers } = await ask(shop.origin, path);
    const answer = await ask(shop.origin, path, { headers: { 'if-none-match': `"other", W/${headers.etag}` } });
    expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, headers.etag]);
  });
});
