import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleTarget } from '../fakes/sample-target.ts';
import { startRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe('what adds a URL', () => {
  const candidates: [string, Record<string, string>, number, boolean][] = [
    ['HTML', { 'content-type': 'text/html; charset=utf-8' }, 200, true],
    ['XHTML', { 'content-type': 'application/xhtml+xml' }, 200, true],
    ['a PDF', { 'content-type': 'application/pdf' }, 200, false],
    ['an image', { 'content-type': 'image/png' }, 200, false],
    ['a 404', { 'content-type': 'text/html' }, 404, false],
    ['a redirect', { 'content-type': 'text/html', location: '/x' }, 302, false],
    ['noindex', { 'content-type': 'text/html', 'x-robots-tag': 'noindex, nofollow' }, 200, false],
    ['noindex for one crawler', { 'content-type': 'text/html', 'x-robots-tag': 'otherbot: noindex' }, 200, true],
    [
      'a canonical elsewhere',
      { 'content-type': 'text/html', link: '<https://shop.test/b>; rel="canonical"' },
      200,
      false,
    ],
    ['a canonical to itself', { 'content-type': 'text/html', link: '</product/9>; rel=canonical' }, 200, true],
    ['no-store', { 'content-type': 'text/html', 'cache-control': 'private, no-store' }, 200, true],
  ];
  for (const [name, headers, status, adds] of candidates) {
    it(`HTTP-15: ${name} ${adds ? 'does' : 'does not'}`, async () => {
      rig.answer = (_request, response) => response.writeHead(status, headers).end('x');
      const response = await rig.ask('/product/9');
      expect(response.status).toBe(status);
      expect(response.header('content-type')).toBe(headers['content-type']);
      await rig.handler.idle();
      expect(rig.minted.length).toBe(adds ? 1 : 0);
    });
  }

  it('no-store adds nothing under discovery.respectNoStore', async () => {
    rig.setOptions({ discovery: { respectNoStore: true } });
    rig.answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' }).end('x');
    await rig.ask('/product/9');
    expect(rig.verdicts).toEqual([{ kind: 'not-candidate', why: 'no-store' }]);
  });

  it('a gate that refuses decides, the first one in order', async () => {
    await rig.stop();
    rig = await startRig({
      gates: [
        { reason: 'bot', admits: () => true },
        { reason: 'malformed', admits: () => false },
        { reason: 'budget', admits: () => false },
      ],
    });
    expect((await rig.ask('/product/9')).status).toBe(200);
    expect(rig.verdicts).toEqual([{ kind: 'gated', reason: 'malformed' }]);
    expect(rig.metrics).toContain('botMiss gated-malformed Googlebot');
  });

  it('a page that was gone comes back when the origin answers 200, and only then', async () => {
    const url = 'https://shop.test/product/9';
    rig.targets.set(url, sampleTarget(url, { state: 'suppressed', suppressedReason: 'http-gone' }));
    rig.answer = (_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('gone');
    await rig.ask('/product/9');
    await rig.handler.idle();
    expect(rig.reopened).toEqual([]);
    rig.answer = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('back');
    await rig.ask('/product/9');
    await rig.handler.idle();
    expect([rig.reopened, rig.minted]).toEqual([[url], []]);
  });

  it('a page that asks for its own 404 is looked at again when a crawler comes after its answer has run out', async () => {
    const url = 'https://shop.test/product/9';
    rig.targets.set(url, sampleTarget(url, { state: 'suppressed', suppressedReason: 'http-gone' }));
    await rig.pages.store({
      url,
      deviceType: 'desktop',
      statusCode: 404,
      headers: {},
      html: Buffer.from('gone'),
      fetchedAt: rig.now(),
      expiresAt: rig.now() + 7 * 86_400_000,
      isIndexable: false,
      canonical: null,
    });
    expect((await rig.ask('/product/9')).status).toBe(404);
    await rig.handler.idle();
    expect(rig.reopened).toEqual([]);
    rig.advance(rig.config.page.redirectTtl + 1);
    expect((await rig.ask('/product/9')).status).toBe(200);
    await rig.handler.idle();
    expect(rig.reopened).toEqual([url]);
  });

  it('a page that was suppressed for anything else stays so', async () => {
    const url = 'https://shop.test/product/9';
    rig.targets.set(url, sampleTarget(url, { state: 'suppressed', suppressedReason: 'noindex' }));
    await rig.ask('/product/9');
    await rig.handler.idle();
    expect([rig.reopened, rig.minted]).toEqual([[], []]);
  });

  it('HTTP-08: a redirect is relayed with its Location as it is, and adds neither URL', async () => {
    rig.answer = (_request, response) => response.writeHead(301, { location: '/p/new' }).end();
    const response = await rig.ask("/old'shoe");
    expect([response.status, response.header('location')]).toEqual([301, '/p/new']);
    expect(rig.asked.map(({ url }) => url)).toEqual(["/old'shoe"]);
    expect(rig.minted).toEqual([]);
    expect(rig.metrics).toContain('botMiss redirect Googlebot');
  });

  it('URL-04: parameters that the route does not keep make no page of their own', async () => {
    for (const query of ['utm_source=a', 'utm_source=b', 'fbclid=1', 'gclid=2', 'utm_source=a&fbclid=1', 'sid=77']) {
      await rig.ask(`/product/1?${query}`);
      await rig.handler.idle();
    }
    expect(rig.minted.map(({ url }) => url)).toEqual(['https://shop.test/product/1']);
    expect(new Set(rig.asked.map(({ url }) => url))).toEqual(new Set(['/product/1']));
  });
});
