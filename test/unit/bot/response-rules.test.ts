import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncodingChooser } from '../../../src/bot/accept-encoding.ts';
import { mergeVary } from '../../../src/bot/cache-headers.ts';
import { connectionNames } from '../../../src/bot/origin/connection-headers.ts';
import { acceptedCodings } from '../../../src/bot/origin/request-headers.ts';
import { relayedHeaders } from '../../../src/bot/origin/response-headers.ts';
import { isMarkedPrivate, mayShare } from '../../../src/bot/origin/shareable.ts';
import { createUpstreams } from '../../../src/bot/origin/upstream.ts';
import { originForm } from '../../../src/bot/request-target.ts';
import { saysNoindex } from '../../../src/bot/robots-header.ts';

describe('X-Robots-Tag', () => {
  it('is noindex for all crawlers, by noindex or none, in any case', () => {
    for (const header of [
      'noindex',
      'NoIndex, nofollow',
      'nofollow , none',
      'robots: noindex',
      'unavailable_after: 1 Jan 2030, noindex',
    ]) {
      expect([header, saysNoindex(header)]).toEqual([header, true]);
    }
  });

  it('stands line by line: a crawler named in one line has no say in the next', () => {
    expect(saysNoindex(['googlebot: nofollow', 'noindex'])).toBe(true);
    expect(saysNoindex(['googlebot: noindex', 'nofollow'])).toBe(false);
    expect(saysNoindex([])).toBe(false);
  });

  it('is none of it for one named crawler, a like-sounding directive or nothing', () => {
    const headers = [
      undefined,
      '',
      'index',
      'noimageindex',
      'googlebot: noindex',
      'googlebot: nofollow, noindex',
      'max-snippet: 0',
    ];
    for (const header of headers) expect([header, saysNoindex(header)]).toEqual([header, false]);
  });
});

describe('Accept-Encoding', () => {
  it('gives the origin the codings that are accepted, in one order', () => {
    const cases: [string | undefined, string][] = [
      [undefined, 'identity'],
      ['', 'identity'],
      ['gzip', 'gzip'],
      ['br;q=0.5, GZIP ; q=1.0', 'br, gzip'],
      ['gzip;q=0, br', 'br'],
      ['gzip;q=0.000', 'identity'],
      ['x-gzip', 'gzip'],
      ['deflate, gzip, zstd, br, unknown', 'br, gzip, zstd, deflate'],
      ['identity', 'identity'],
    ];
    for (const [header, codings] of cases) expect([header, acceptedCodings(header)]).toEqual([header, codings]);
  });

  it('chooses an encoding that is accepted for any header, and remembers it', () => {
    const choose = createEncodingChooser();
    fc.assert(
      fc.property(fc.string(), (header) => {
        const chosen = choose(header);
        expect(['gzip', 'br', 'identity']).toContain(chosen);
        expect(choose(header)).toBe(chosen);
      }),
    );
    expect(choose('gzip, br')).toBe('gzip');
    expect(choose(`${'x,'.repeat(5_000)}gzip`)).toBe('identity');
  });
});

describe('headers of the origin', () => {
  it('are kept byte for byte, without those of the connection and cookies', () => {
    const raw = [
      'Content-Type',
      'text/html',
      'Connection',
      'close, X-Hop',
      'X-Hop',
      '1',
      'Link',
      'a',
      'LINK',
      'b',
      'Link',
      'c',
      'Set-Cookie',
      's=1',
      'Transfer-Encoding',
      'chunked',
      'Keep-Alive',
      '5',
      'X-Raw',
      'Gr\xfc\xdfe',
    ];
    const { headers, setsCookie } = relayedHeaders(raw.map((text) => Buffer.from(text, 'latin1')));
    expect(headers).toEqual({ 'content-type': 'text/html', link: ['a', 'b', 'c'], 'x-raw': 'Gr\xfc\xdfe' });
    expect(setsCookie).toBe(true);
  });

  it('are named by Connection in any case', () => {
    expect([...connectionNames('Close, X-A ,x-B')]).toEqual(['close', 'x-a', 'x-b']);
    expect(connectionNames('keep-alive').size).toBe(0);
  });

  it('mark an answer private by whole words only', () => {
    for (const value of ['private', 'max-age=0,no-store', 'Private="x"']) {
      expect([value, isMarkedPrivate({ 'cache-control': value })]).toEqual([value, true]);
    }
    for (const value of ['public', 'no-storefront', 'x-private', '']) {
      expect([value, isMarkedPrivate({ 'cache-control': value })]).toEqual([value, false]);
    }
    expect(mayShare({ status: 200, headers: { 'content-length': '11' }, setsCookie: false }, 10)).toBe(false);
    expect(mayShare({ status: 200, headers: {}, setsCookie: false }, 10)).toBe(true);
  });

  it('have names added to Vary once, whatever their case', () => {
    expect(mergeVary(undefined, 'accept-encoding, x-device-type')).toBe('accept-encoding, x-device-type');
    expect(mergeVary('Cookie, Accept-Encoding', 'accept-encoding, x-device-type')).toBe(
      'Cookie, Accept-Encoding, x-device-type',
    );
    expect(mergeVary('*', 'accept-encoding')).toBe('*');
  });
});

describe('upstreams', () => {
  it('are found by the public host with its port, for both schemes', () => {
    const upstreamOf = createUpstreams(
      {
        'Shop.test': 'http://10.0.0.5:8080/',
        'shop.test:8443': 'https://edge.test',
        bad: 'x',
      },
      ['*', 'listed.test'],
    );
    const upstream = { origin: 'http://10.0.0.5:8080', trusted: true };
    expect(upstreamOf('https', 'shop.test')).toEqual({ ...upstream, otherScheme: true });
    expect(upstreamOf('http', 'shop.test')).toEqual({ ...upstream, otherScheme: false });
    expect(upstreamOf('https', 'shop.test:8443').origin).toBe('https://edge.test');
    expect(upstreamOf('https', 'other.test')).toEqual({
      origin: 'https://other.test',
      otherScheme: false,
      trusted: false,
    });
  });

  it('are trusted with the bypass token only where the operator names the host', () => {
    const upstreamOf = createUpstreams({ 'mapped.test': 'http://10.0.0.5' }, ['*', 'listed.test']);
    const trusted = (host: string): boolean => upstreamOf('https', host).trusted;
    expect(['mapped.test', 'listed.test', 'evil.test', 'listed.test:8443'].map(trusted)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('a request target', () => {
  it('is reduced to path and query, whatever its form', () => {
    const cases: [string, string][] = [
      ['/a?b', '/a?b'],
      ['http://node:9926/a?b', '/a?b'],
      ['HTTPS://node/', '/'],
      ['http://node', '/'],
      ['http://node?x', '/?x'],
      ['x', '/x'],
    ];
    for (const [target, form] of cases) expect([target, originForm(target)]).toEqual([target, form]);
  });
});
