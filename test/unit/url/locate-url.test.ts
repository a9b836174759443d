import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalizeUrl, DEFAULT_CANONICALIZER_OPTIONS } from '../../../src/url/canonicalize-url.ts';
import { createUrlLocator } from '../../../src/url/locate-url.ts';
import { compileRoutes } from '../../../src/url/routes.ts';

const table = compileRoutes([
  { match: 'prefix', path: '/catalog/', mode: 'prerender', queryParams: ['CN'] },
  { match: 'prefix', path: '/product/', mode: 'prerender' },
  { match: 'prefix', path: '/api/', mode: 'passthrough' },
]);
const locate = createUrlLocator(DEFAULT_CANONICALIZER_OPTIONS, table);

describe('createUrlLocator', () => {
  it('canonicalises by the allowlist of the route that the canonical path has', () => {
    expect(locate('https://SHOP.test:8443/x/../c%61talog/a?utm=1&CN=b')).toMatchObject({
      ok: true,
      url: 'https://shop.test:8443/catalog/a?CN=b',
      origin: 'https://shop.test:8443',
      host: 'shop.test:8443',
      path: '/catalog/a',
      route: { name: 'prefix:/catalog/' },
    });
  });

  it('URL-04: tracking parameters of a product make one URL', () => {
    const spellings = ['', '?utm_source=a', '?fbclid=1', '?gclid=2', '?utm_source=a&fbclid=1'];
    const urls = spellings.map((query) => locate(`https://shop.test/product/1${query}`));
    expect(new Set(urls.map((located) => (located.ok ? located.url : located.reason)))).toEqual(
      new Set(['https://shop.test/product/1']),
    );
  });

  it('keeps every parameter of passthrough and unclassified paths', () => {
    expect(locate('https://shop.test/api/x?id=1&a=2')).toMatchObject({ url: 'https://shop.test/api/x?a=2&id=1' });
    expect(locate('https://shop.test/x?id=1')).toMatchObject({ url: 'https://shop.test/x?id=1', route: undefined });
  });

  it('answers a reason for what is no URL', () => {
    expect(locate('ftp://shop.test/')).toMatchObject({ ok: false });
    expect(locate('')).toMatchObject({ ok: false });
  });

  it('agrees with the canonicalizer', () => {
    const url = fc.webUrl({ withQueryParameters: true, withFragments: true });
    fc.assert(
      fc.property(url, (text) => {
        const located = locate(text);
        const expected = canonicalizeUrl(text, located.ok ? (located.route?.queryParams ?? ['*']) : ['*']);
        expect(located.ok ? { ok: true, url: located.url } : located).toEqual(expected);
      }),
    );
  });
});
