import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalizeUrl,
  createPartsReader,
  DEFAULT_CANONICALIZER_OPTIONS,
} from '../../../src/url/canonicalize-url.ts';
import { createHostAllowList, normalizeHost, parseForwardedHost } from '../../../src/url/host.ts';

describe('parseForwardedHost', () => {
  it.each([
    ['shop.test', 'shop.test', undefined],
    ['SHOP.test:8443', 'SHOP.test', 8443],
    ['shop.test.', 'shop.test.', undefined],
    ['127.0.0.1:80', '127.0.0.1', 80],
    ['[::1]:9925', '[::1]', 9925],
    ['[::ffff:127.0.0.1]', '[::ffff:127.0.0.1]', undefined],
    ['my_shop.test', 'my_shop.test', undefined],
  ])('%j is read', (value, hostname, port) => {
    expect(parseForwardedHost(value)).toEqual({ ok: true, host: value, hostname, port });
  });

  it.each([
    ...['', ' ', 'shop.test, evil.test', 'shop.test,evil.test', 'user@evil.test', 'shop.test/path', 'shop.test?x'],
    ...['shop.test#x', 'shop.test:', 'shop.test:0', 'shop.test:65536', 'shop.test:80:80', 'shop.test:8a', '::1'],
    ...['evil.test%23.shop.test', 'http://shop.test', 'shop..test', '.shop.test', '-shop.test', 'shop.test\t'],
    ...['shop.test\r\nx: y', '[::1', '[::zz]', '[shop.test]', '1.2.3.999', 'bücher.test', 'a'.repeat(300), '*'],
  ])('SEC-01: %j is refused', (value) => {
    const result = parseForwardedHost(value);
    expect(result.ok ? 'read' : result.reason).not.toMatch(/^(read)?$/);
  });
});

describe('normalizeHost', () => {
  it.each([
    ['SHOP.Test', 'https', 'shop.test'],
    ['shop.test.', 'https', 'shop.test'],
    ['shop.test.:8443', 'https', 'shop.test:8443'],
    ['shop.test:443', 'https', 'shop.test'],
    ['shop.test:443', 'http', 'shop.test:443'],
    ['shop.test:80', 'http', 'shop.test'],
    ['bücher.test', 'https', 'xn--bcher-kva.test'],
    ['2130706433', 'http', '127.0.0.1'],
    ['[0:0:0:0:0:0:0:1]:80', 'http', '[::1]'],
  ] as const)('%s over %s is %s', (host, scheme, expected) => {
    expect(normalizeHost(host, scheme)).toBe(expected);
  });

  it.each(['', 'a b', 'a/b', 'a@b', 'a?b', 'a#b', 'a\\b', 'a%23b', 'a|b', 'a:', '.', 'a..b', 'a:b', '[::zz]'])(
    '%j is no host',
    (host) => {
      expect(normalizeHost(host, 'https')).toBeUndefined();
    },
  );

  it('spells a host as the canonical URL does', () => {
    const read = createPartsReader(DEFAULT_CANONICALIZER_OPTIONS);
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4Extended(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    fc.assert(
      fc.property(host, fc.constantFrom('http' as const, 'https' as const), fc.nat(65_535), (name, scheme, port) => {
        const parts = read(`${scheme}://${name}:${port}/`);
        expect(normalizeHost(`${name}:${port}`, scheme)).toBe(parts.ok ? parts.host : undefined);
      }),
    );
  });
});

describe('createHostAllowList', () => {
  /** Whether the host of a URL is served, by the way that a request goes. */
  const serves = (domains: readonly string[], url: string): boolean => {
    const canonical = canonicalizeUrl(url, []);
    return canonical.ok && createHostAllowList(domains).allows(new URL(canonical.url).host);
  };

  it.each([
    ['https://shop.test.evil.test/', false],
    ['https://evilshop.test/', false],
    ['https://shop.test@evil.test/', false],
    ['https://evil.test%23.shop.test/', false],
    ['https://shop.test:8443/', false],
    ['https://shop.test./', true],
    ['https://SHOP.TEST/', true],
    ['https://shop.test:443/', true],
    ['https://sub.shop.test/', false],
  ])('SEC-05: with domains [shop.test], %s is served: %s', (url, expected) => {
    expect(serves(['shop.test'], url)).toBe(expected);
  });

  it('SEC-05: a port other than the default one must be listed with the host', () => {
    expect(serves(['shop.test:8443'], 'https://shop.test:8443/')).toBe(true);
    expect(serves(['shop.test:8443'], 'https://shop.test/')).toBe(false);
    expect(serves(['shop.test:443'], 'https://shop.test/')).toBe(true);
  });

  it('SEC-05: entries are normalised as hosts are', () => {
    expect(serves(['SHOP.test.'], 'https://shop.test/')).toBe(true);
    expect(serves(['bücher.test'], 'https://xn--bcher-kva.test/')).toBe(true);
  });

  it('SEC-01: an empty list serves no host', () => {
    const list = createHostAllowList([]);
    expect(list).toMatchObject({ open: false, empty: true, invalid: [] });
    expect(list.allows('shop.test')).toBe(false);
  });

  it('SEC-01: any host is served only when the list says so', () => {
    const list = createHostAllowList(['*']);
    expect(list).toMatchObject({ open: true, empty: false });
    expect(list.allows('evil.test')).toBe(true);
    expect(list.allows('')).toBe(false);
  });

  it('SEC-05: an entry that is no host is reported and allows nothing', () => {
    const list = createHostAllowList(['*.shop.test', 'https://shop.test', 'shop.test/x']);
    expect(list.invalid).toEqual(['*.shop.test', 'https://shop.test', 'shop.test/x']);
    expect(list.empty).toBe(true);
    expect(list.allows('shop.test')).toBe(false);
  });
});
