import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CanonicalizerOptions } from '../../../src/url/canonicalize-url.ts';
import {
  canonicalizeUrl,
  createCanonicalizer,
  DEFAULT_CANONICALIZER_OPTIONS,
} from '../../../src/url/canonicalize-url.ts';

interface Vector {
  url: string;
  allowlist: string[];
  expected: string;
  options?: Partial<CanonicalizerOptions>;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../data/canonicalize-url.json', import.meta.url), 'utf8'),
) as Vector[];

function canonical(url: string, queryParams: readonly string[] = ['*'], options: Partial<CanonicalizerOptions> = {}) {
  const result = canonicalizeUrl(url, queryParams, { ...DEFAULT_CANONICALIZER_OPTIONS, ...options });
  if (!result.ok) throw new Error(`${url}: ${result.reason}`);
  return result.url;
}

function refusal(url: string): string {
  const result = canonicalizeUrl(url, ['*']);
  return result.ok ? `accepted as ${result.url}` : result.reason;
}

describe('vectors', () => {
  it.each(vectors)('$url → $expected', ({ url, allowlist, expected, options }) => {
    expect(canonical(url, allowlist, options)).toBe(expected);
  });
});

describe('origin', () => {
  it('URL-06: spellings that are the same URL get one key', () => {
    const spellings = [
      'https://SHOP.test:443',
      'https://shop.test/',
      'https://shop.test/#top',
      'https://shop.test/a/../',
      'https://shop.test./',
      'https://shop.test/a/%2e%2E/',
    ];
    expect(new Set(spellings.map((url) => canonical(url)))).toEqual(new Set(['https://shop.test/']));
  });

  it('URL-06: spellings that are not the same keep keys of their own', () => {
    const spellings = [
      'https://shop.test/p/1',
      'https://shop.test/p/1/',
      'https://shop.test/P/1',
      'http://shop.test/p/1',
      'https://www.shop.test/p/1',
      'https://shop.test:8443/p/1',
    ];
    expect(new Set(spellings.map((url) => canonical(url))).size).toBe(spellings.length);
  });

  it('drops the default port of the scheme and no other', () => {
    expect(canonical('http://shop.test:80/')).toBe('http://shop.test/');
    expect(canonical('http://shop.test:443/')).toBe('http://shop.test:443/');
    expect(canonical('https://shop.test:0443/')).toBe('https://shop.test/');
  });

  it('drops a trailing dot before a port and after an address', () => {
    expect(canonical('https://shop.test.:8443/')).toBe('https://shop.test:8443/');
    expect(canonical('https://192.0.2.1./')).toBe('https://192.0.2.1/');
  });

  it('writes an address in one way', () => {
    expect(canonical('http://2130706433/')).toBe('http://127.0.0.1/');
    expect(canonical('http://[::FFFF:127.0.0.1]:9925/')).toBe('http://[::ffff:7f00:1]:9925/');
  });

  it('SEC-05: refuses userinfo and a host with an encoded delimiter', () => {
    expect(refusal('https://shop.test@evil.test/')).toBe('it carries a user name or password');
    expect(refusal('https://:pw@shop.test/')).toBe('it carries a user name or password');
    expect(refusal('https://evil.test%23.shop.test/')).toBe('it is not an absolute URL');
  });

  it('refuses other schemes, relative references and hosts with an empty label, and says why', () => {
    expect(refusal('file:///etc/passwd')).toContain('file:');
    expect(refusal('data:text/html,x')).toContain('data:');
    expect(refusal('javascript:alert(1)')).toContain('only http: and https:');
    expect(refusal('/relative')).toBe('it is not an absolute URL');
    expect(refusal('')).toBe('it is not an absolute URL');
    for (const host of ['.', '..', 'shop..test', '.shop.test', 'shop.test..', '127.0.0.1..']) {
      expect(refusal(`https://${host}/`), host).toBe('its host has an empty label');
    }
  });
});

describe('path', () => {
  it('URL-01: an encoded slash is never decoded', () => {
    expect(canonical('https://shop.test/p/ab%2F12')).toBe('https://shop.test/p/ab%2F12');
    expect(canonical('https://shop.test/p/ab%2f12')).toBe('https://shop.test/p/ab%2F12');
    expect(canonical('https://shop.test/p/ab%2F12')).not.toBe(canonical('https://shop.test/p/ab/12'));
  });

  it('a stray % becomes %25 and a double encoding stays one', () => {
    expect(canonical('https://shop.test/100%/50%zz%2')).toBe('https://shop.test/100%25/50%25zz%252');
    expect(canonical('https://shop.test/%252B%252b')).toBe('https://shop.test/%252B%252b');
    expect(canonical('https://shop.test/%%32%65')).toBe('https://shop.test/%252e');
  });

  it('decodes unreserved characters and the default reserved ones, and upper-cases other escapes', () => {
    expect(canonical('https://shop.test/%7Ea%3Ab%2cc%40d%3b%c3%bc')).toBe('https://shop.test/~a:b,c@d%3B%C3%BC');
  });

  it('decodes no character that would change what the URL means, whatever the option says', () => {
    const escapes = '%25%26%3D%2B%23%2F%3F%7C%3B%20%5C%22%3C%3E%60%7B%7D%5E%09%00%C3%BC';
    const url = `https://shop.test/a${escapes}?q=${escapes}`;
    const decodeReserved = '%&=+#/?|; \\"<>`{}^\t\0ü';
    expect(canonical(url, ['*'], { decodeReserved })).toBe(url);
  });

  it('decodes an apostrophe in the path only, since a query cannot hold one', () => {
    const decoded = canonical('https://shop.test/a%27b?q=a%27b', ['*'], { decodeReserved: "'" });
    expect(decoded).toBe("https://shop.test/a'b?q=a%27b");
  });

  it('keeps empty segments, reads backslashes as slashes, and encodes what is not ASCII', () => {
    expect(canonical('https://shop.test//a//b')).toBe('https://shop.test//a//b');
    expect(canonical('https://shop.test\\a\\b')).toBe('https://shop.test/a/b');
    expect(canonical('https://shop.test/größe')).toBe('https://shop.test/gr%C3%B6%C3%9Fe');
  });

  it('strips all trailing slashes when told to, but the root keeps its own', () => {
    const options = { trailingSlash: 'strip' } as const;
    expect(canonical('https://shop.test/a//?x=1', ['*'], options)).toBe('https://shop.test/a?x=1');
    expect(canonical('https://shop.test/', ['*'], options)).toBe('https://shop.test/');
    expect(canonical('https://shop.test///', ['*'], options)).toBe('https://shop.test/');
  });
});

describe('query', () => {
  it('URL-02: the key keeps every value byte for byte and only sorts', () => {
    const url = 'https://shop.test/s?maker=R%26D&size=4&color=red&size=5&instock&sig=%FF%E9&q=blue%20shoe&v=1;2';
    expect(canonical(url)).toBe(
      'https://shop.test/s?color=red&instock&maker=R%26D&q=blue%20shoe&sig=%FF%E9&size=4&size=5&v=1;2',
    );
  });

  it('URL-04: parameters that the route does not keep make no URL of their own', () => {
    const spellings = [
      'https://shop.test/p/1',
      'https://shop.test/p/1?utm_source=a',
      'https://shop.test/p/1?utm_source=b',
      'https://shop.test/p/1?fbclid=1',
      'https://shop.test/p/1?gclid=2',
      'https://shop.test/p/1?utm_source=a&fbclid=1',
      'https://shop.test/p/1?host=A&host=A&plan=1&plan=2&plan=3',
      'https://shop.test/p/1?sid=8f3a',
    ];
    for (const allowlist of [[], ['color', 'size']]) {
      expect(new Set(spellings.map((url) => canonical(url, allowlist)))).toEqual(new Set(['https://shop.test/p/1']));
    }
  });

  it('HTTP-13: an escaped = in the value and one in the key are two queries', () => {
    expect(canonical('https://shop.test/?k=v%3D')).not.toBe(canonical('https://shop.test/?k%3Dv='));
  });

  it('tests the decoded key and keeps it as it was written', () => {
    expect(canonical('https://shop.test/?%66ilter=1&x=2', ['filter'])).toBe('https://shop.test/?filter=1');
    expect(canonical('https://shop.test/?a%5Bb%5D=1', ['a[b]'])).toBe('https://shop.test/?a%5Bb%5D=1');
    expect(canonical('https://shop.test/?a[b]=1', ['a[b]'])).toBe('https://shop.test/?a[b]=1');
    expect(canonical('https://shop.test/?sort+by=1&sort%20by=2', ['sort by'])).toBe(
      'https://shop.test/?sort%20by=2&sort+by=1',
    );
    expect(canonical('https://shop.test/?gr%C3%B6%C3%9Fe=1', ['größe'])).toBe('https://shop.test/?gr%C3%B6%C3%9Fe=1');
  });

  it('does not test the value', () => {
    expect(canonical('https://shop.test/?x=a=filter&y=filter', ['filter'])).toBe('https://shop.test/');
  });

  it('drops empty segments and an empty query', () => {
    expect(canonical('https://shop.test/?&&b=1&&a=2&')).toBe('https://shop.test/?a=2&b=1');
    expect(canonical('https://shop.test/?')).toBe('https://shop.test/');
    expect(canonical('https://shop.test/?&')).toBe('https://shop.test/');
  });

  it('keeps +, %20 and %2B apart by default, and folds only %20 when told to', () => {
    const url = 'https://shop.test/?a=x+y&b=x%20y&c=x%2By';
    expect(canonical(url)).toBe(url);
    expect(canonical(url, ['*'], { plusIsSpace: true })).toBe('https://shop.test/?a=x+y&b=x+y&c=x%2By');
  });

  it('folds before it sorts', () => {
    const options = { plusIsSpace: true };
    expect(canonical('https://shop.test/?a%20b=1&a(=2', ['*'], options)).toBe('https://shop.test/?a(=2&a+b=1');
    expect(canonical('https://shop.test/?a+b=1&a(=2', ['*'], options)).toBe('https://shop.test/?a(=2&a+b=1');
  });

  it('HTTP-13: a raw | becomes %7C in path and query', () => {
    expect(canonical('https://shop.test/p/1|x?a=|&|=b')).toBe('https://shop.test/p/1%7Cx?%7C=b&a=%7C');
  });
});

describe('properties', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['%', '%2', '%2e', '%2E', '%2f', '%252B', '%zz', '%00', '%FF', '%c3%bc', '%7c', '%27', '%3A', '%41', '%20'],
      ...['|', '+', ';', '&', '=', '?', '#', '/', '//', '.', '..', '/../', '/./', '\\', '\t', '\n', ' ', "'", '"', '<'],
      ...['ü', '\u00ad', '\ud800', '😀', ':', ',', '@', '[', ']', '^', '`', '{', '}', '*', '$', '!', '(', ')', '~'],
      ...['a', 'B', 'filter', 'utm_source', '1', '0x7f'],
    ),
    fc.string({ maxLength: 3, unit: 'binary' }),
  );
  const pieces = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
  const host = fc.oneof(
    fc.constantFrom('shop.test', 'SHOP.test.', 'xn--bcher-kva.test', 'bücher.test', '1.2.3.4', '0x7f.1', '[::1]', 'a'),
    fc.domain(),
    pieces,
  );
  const urlish = fc
    .tuple(fc.constantFrom('https://', 'http://', 'HTTPS:', ' https:\\\\', 'https:/', ''), host, pieces, pieces)
    .map(([scheme, name, path, query]) => `${scheme}${name}/${path}?${query}`);
  const plain = fc.webUrl({ withQueryParameters: true, withFragments: true });
  const anyUrl = fc.oneof(
    { weight: 6, arbitrary: urlish },
    { weight: 2, arbitrary: plain },
    fc.string({ unit: 'binary' }),
  );
  const allowlist = fc.constantFrom<string[]>(['*'], [], ['filter', 'a', 'ü'], ['B', '*']);
  const options = fc.record<CanonicalizerOptions>({
    decodeReserved: fc.constantFrom(':,@', '', ":,@!$'()*[]", '%&=+#/?|; \\"<>`{}^ü.'),
    plusIsSpace: fc.boolean(),
    trailingSlash: fc.constantFrom('preserve' as const, 'strip' as const),
  });
  const runs = { numRuns: 5_000 };

  it('never throws; idempotent; a fixed point of the URL parser; no raw | and no fragment', () => {
    fc.assert(
      fc.property(anyUrl, allowlist, options, (url, queryParams, chosen) => {
        const canonicalize = createCanonicalizer(chosen);
        const first = canonicalize(url, queryParams);
        if (!first.ok) {
          expect(first.reason).not.toBe('');
          return;
        }
        expect(new URL(first.url).href).toBe(first.url);
        expect(canonicalize(first.url, queryParams)).toEqual(first);
        expect(canonicalize(first.url, ['*'])).toEqual(first);
        expect(first.url).not.toMatch(/[|#\s]|[^\x21-\x7e]/);
      }),
      runs,
    );
  });

  it('accepts exactly the http and https URLs without userinfo and empty labels', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const parsed = URL.canParse(url) ? new URL(url) : undefined;
        const usable =
          parsed !== undefined &&
          /^https?:$/.test(parsed.protocol) &&
          parsed.username + parsed.password === '' &&
          !/^\.|\.\.|^$/.test(parsed.hostname);
        expect(canonicalizeUrl(url, ['*']).ok).toBe(usable);
      }),
      runs,
    );
  });

  it('a URL that needs no parse gets the same answer as its parsed form', () => {
    fc.assert(
      fc.property(fc.oneof(plain, urlish), allowlist, options, (url, queryParams, chosen) => {
        fc.pre(URL.canParse(url));
        const canonicalize = createCanonicalizer(chosen);
        expect(canonicalize(url, queryParams)).toEqual(canonicalize(new URL(url).href, queryParams));
        // A tab forces the parser, which removes it.
        expect(canonicalize(url, queryParams)).toEqual(canonicalize(`\t${url}`, queryParams));
      }),
      runs,
    );
  });
});
