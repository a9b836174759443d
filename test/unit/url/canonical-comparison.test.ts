import { describe, expect, it } from 'vitest';
import { DEFAULT_CANONICALIZER_OPTIONS } from '../../../src/url/canonicalize-url.ts';
import { createCanonicalComparison, sameCanonical } from '../../../src/url/canonical-comparison.ts';

const PAGE = 'https://shop.test/catalog/rugs.jsp';
const KEY = `${PAGE}?CN=Brand:ACME+Silhouette:Bath%20Rugs`;

describe('createCanonicalComparison', () => {
  const relate = createCanonicalComparison(DEFAULT_CANONICALIZER_OPTIONS);

  it('+ and %20 in the query are equal both ways', () => {
    expect(relate(`${PAGE}?CN=Brand:ACME%20Silhouette:Bath+Rugs`, KEY, ['CN'])).toBe('self');
    expect(relate(KEY, `${PAGE}?CN=Brand:ACME%20Silhouette:Bath+Rugs`, ['CN'])).toBe('self');
  });

  it('%2B is a value of its own, in either direction', () => {
    expect(relate(`${PAGE}?CN=Brand:ACME%2BCO`, `${PAGE}?CN=Brand:ACME+CO`, ['CN'])).toBe('elsewhere');
    expect(relate(`${PAGE}?CN=Brand:ACME%20CO`, `${PAGE}?CN=Brand:ACME%2BCO`, ['CN'])).toBe('elsewhere');
  });

  it('+ and %20 in the path are not equal', () => {
    expect(relate('https://shop.test/a+b', 'https://shop.test/a%20b', [])).toBe('elsewhere');
  });

  it('compares canonical forms: escapes, order, default port and parameters that the route drops do not matter', () => {
    const declared = 'https://SHOP.test:443/catalog/%72ugs.jsp?utm_source=x&b=2&a=1#top';
    expect(relate(declared, `${PAGE}?a=1&b=2`, ['a', 'b'])).toBe('self');
  });

  it('a name with a space sorts alike in both spellings', () => {
    expect(relate(`${PAGE}?a(=2&a+b=1`, `${PAGE}?a%20b=1&a(=2`, ['*'])).toBe('self');
  });

  it('another path, query value, scheme or host is elsewhere', () => {
    for (const declared of [
      'https://shop.test/catalog/other.jsp',
      `${PAGE}?CN=Brand:OTHER`,
      PAGE,
      KEY.replace('https:', 'http:'),
      KEY.replace('shop.test', 'www.shop.test'),
    ]) {
      expect(relate(declared, KEY, ['CN']), declared).toBe('elsewhere');
    }
  });

  it('reads a relative canonical against the key', () => {
    expect(relate('rugs.jsp', PAGE, [])).toBe('self');
    expect(relate('/catalog/other.jsp', PAGE, [])).toBe('elsewhere');
  });

  it.each(['', '   ', 'javascript:void(0)', 'mailto:a@shop.test', 'https://', 'https://u:p@shop.test/'])(
    '%j is no canonical',
    (declared) => {
      expect(relate(declared, PAGE, [])).toBe('unusable');
    },
  );

  it('a key that is no URL is related to nothing', () => {
    expect(relate(PAGE, 'junk', [])).toBe('unusable');
  });
});

describe('sameCanonical', () => {
  it('answers whether the page names its own key', () => {
    expect(sameCanonical(KEY, KEY, ['CN'])).toBe(true);
    expect(sameCanonical(PAGE, KEY, ['CN'])).toBe(false);
    expect(sameCanonical('', KEY, ['CN'])).toBe(false);
    expect(sameCanonical(`${PAGE}/`, PAGE, [], { ...DEFAULT_CANONICALIZER_OPTIONS, trailingSlash: 'strip' })).toBe(
      true,
    );
  });
});
