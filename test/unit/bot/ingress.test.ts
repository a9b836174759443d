import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GOOGLEBOT, startRig, type Rig } from './rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

describe('prefix mode', () => {
  beforeEach(async () => {
    rig = await startRig();
  });

  it('leaves every path without the prefix to the next handler', async () => {
    for (const path of [
      '/',
      '/p',
      '/Target/1',
      '/prerender_health',
      '/prerender_admin/config',
      '/render_queue/claim',
    ]) {
      const response = await rig.raw({ path, headers: [['X-Forwarded-Host', 'shop.test']] });
      expect([path, response.body.toString()]).toEqual([path, 'next handler']);
    }
  });

  it('reads an absolute-form request target', async () => {
    const response = await rig.raw({ path: 'http://prerender.test/p/https://shop.test/a' });
    expect(response.status).toBe(200);
    expect(rig.asked[0]?.url).toBe('/a');
  });

  it('repairs a scheme whose slashes a proxy has merged', async () => {
    const response = await rig.raw({ path: '/p/https:/shop.test/a//b' });
    expect(response.status).toBe(200);
    expect(rig.asked[0]?.url).toBe('/a//b');
  });

  it('asks for the path alone when the slashes behind the scheme are missing', async () => {
    expect((await rig.raw({ path: '/p/https:shop.test/a' })).status).toBe(200);
    expect(rig.asked[0]?.url).toBe('/a');
  });

  it('asks for the root of a host without a path, and sends no fragment', async () => {
    for (const target of ['https://shop.test', 'https://shop.test?color=red', 'https://shop.test/a#top']) {
      expect((await rig.ask(target)).status).toBe(200);
    }
    expect(rig.asked.map(({ url }) => url)).toEqual(['/', '/?color=red', '/a']);
  });

  it('answers 414 for a URL that is too long', async () => {
    const response = await rig.ask(`/${'x'.repeat(9_000)}`);
    expect([response.status, response.body.toString()]).toEqual([414, expect.stringContaining('at most 8192')]);
    expect(rig.asked).toEqual([]);
  });

  it('SEC-05: compares hosts exactly', async () => {
    const refused: [string, number][] = [
      ['https://shop.test.evil.test/', 403],
      ['https://evilshop.test/', 403],
      ['https://shop.test@evil.test/', 400],
      ['https://evil.test%23.shop.test/', 400],
      ['https://shop.test:8443/', 403],
      ['https://evil.test\\@shop.test/', 403],
      ['https:///', 400],
    ];
    for (const [target, status] of refused) {
      const response = await rig.ask(target);
      expect([target, response.status]).toEqual([target, status]);
    }
    expect(rig.asked).toEqual([]);
    for (const target of ['https://shop.test./', 'https://SHOP.TEST/', 'https://shop.test:443/']) {
      const response = await rig.ask(target, { headers: [['X-Prerender-Debug', '1']] });
      expect([target, response.header('x-prerender-key')]).toEqual([target, 'https://shop.test/|desktop']);
    }
  });

  it('SEC-01: a forwarded host decides nothing', async () => {
    const response = await rig.raw({
      path: '/anything',
      headers: [
        ['Host', 'shop.test'],
        ['X-Forwarded-Host', 'evil.test'],
      ],
    });
    expect([response.status, rig.asked.length]).toEqual([404, 0]);
  });

  it('SEC-03: refuses other schemes, and addresses in any spelling', async () => {
    rig.setOptions({ domains: ['*'] });
    const targets: [string, number][] = [
      ['http://169.254.169.254/latest/meta-data/', 403],
      ['http://2130706433/', 403],
      ['http://0x7f.1/', 403],
      ['http://[::ffff:127.0.0.1]:9925/', 403],
      ['http://[::1]/', 403],
      ['http://localhost:9925/', 403],
      ['file:///etc/passwd', 400],
      ['data:text/html,x', 400],
      ['javascript:alert(1)', 400],
    ];
    for (const [target, status] of targets) {
      const response = await rig.ask(target);
      expect([target, response.status]).toEqual([target, status]);
      expect(response.body.toString()).toMatch(/^(ADDRESS_REFUSED|URL_INVALID): /);
    }
    expect(rig.pageTable.rows()).toEqual([]);
    expect(rig.minted).toEqual([]);
  });

  it('refuses every host while `domains` is empty, and says why', async () => {
    rig.setOptions({ domains: [] });
    const response = await rig.ask('/a');
    expect([response.status, response.body.toString()]).toEqual([403, expect.stringContaining('NO_DOMAINS')]);
    expect(rig.asked).toEqual([]);
  });

  it('answers anything malformed with a clear 4xx', async () => {
    for (const target of [
      '',
      '/',
      'x',
      'https:',
      'https://',
      'http://%',
      'https://[::',
      '%00',
      'https://a b',
      '?',
      '//',
      ':',
    ]) {
      const response = await rig.raw({ path: `/p/${target}` });
      expect([target, response.status]).toEqual([target, 400]);
    }
    expect(rig.logger.lines).toEqual([]);
  });

  it('takes changed routes and hosts at the next request', async () => {
    await rig.ask('/a');
    rig.setOptions({ domains: ['other.test'] });
    expect((await rig.ask('/a')).status).toBe(403);
  });
});

describe('forwarded mode', () => {
  beforeEach(async () => {
    rig = await startRig({ options: { ingress: { mode: 'forwarded', devicePath: true } } });
  });

  const from = (host: string, more: [string, string][] = []): [string, string][] => [
    ['User-Agent', GOOGLEBOT],
    ['X-Forwarded-Host', host],
    ['X-Prerender-Debug', '1'],
    ...more,
  ];

  it('takes host and scheme from the headers', async () => {
    const https = await rig.raw({ path: '/a?color=red', headers: from('shop.test') });
    expect(https.header('x-prerender-key')).toBe('https://shop.test/a?color=red|desktop');
    const http = await rig.raw({ path: '/a', headers: from('SHOP.test.', [['X-Forwarded-Proto', 'http, https']]) });
    expect(http.header('x-prerender-key')).toBe('http://shop.test/a|desktop');
    expect(rig.asked.map(({ url }) => url)).toEqual(['/a?color=red', '/a']);
  });

  it('takes the device from the first segment of the path, a header before it', async () => {
    const segment = await rig.raw({ path: '/mobile/a', headers: from('shop.test') });
    expect(segment.header('x-prerender-key')).toBe('https://shop.test/a|mobile');
    const header = await rig.raw({ path: '/mobile/a', headers: from('shop.test', [['X-Device-Type', 'desktop']]) });
    expect(header.header('x-prerender-key')).toBe('https://shop.test/a|desktop');
    const other = await rig.raw({ path: '/mobiles/a', headers: from('shop.test') });
    expect(other.header('x-prerender-key')).toBe('https://shop.test/mobiles/a|desktop');
    const alone = await rig.raw({ path: '/mobile?color=red', headers: from('shop.test') });
    expect(alone.header('x-prerender-key')).toBe('https://shop.test/?color=red|mobile');
  });

  it('SEC-01: refuses a host that is not served, and what is no host', async () => {
    for (const [host, status] of [
      ['evil.test', 403],
      ['shop.test, evil.test', 400],
      ['shop.test/x', 400],
      ['user@shop.test', 400],
      ['shop.test#.evil.test', 400],
    ] as const) {
      const response = await rig.raw({ path: '/anything', headers: from(host) });
      expect([host, response.status]).toEqual([host, status]);
    }
    const scheme = await rig.raw({ path: '/a', headers: from('shop.test', [['X-Forwarded-Proto', 'file']]) });
    expect(scheme.status).toBe(400);
    expect(rig.asked).toEqual([]);
  });

  it('leaves requests without a forwarded host to the next handler', async () => {
    expect((await rig.raw({ path: '/a' })).body.toString()).toBe('next handler');
    expect((await rig.raw({ path: '*', method: 'OPTIONS', headers: from('shop.test') })).body.toString()).toBe(
      'next handler',
    );
  });

  it("keeps the component's own paths unless a listed host claims them", async () => {
    for (const path of ['/prerender_admin', '/prerender_admin/config', '/prerender_health?x', '/render_queue/claim']) {
      const other = await rig.raw({ path, headers: from('ops.test') });
      expect([path, other.body.toString()]).toEqual([path, 'next handler']);
      const listed = await rig.raw({ path, headers: from('shop.test') });
      expect([path, listed.body.toString()]).toEqual([path, '<h1>origin</h1>']);
    }
    rig.setOptions({ domains: ['*'], ingress: { mode: 'forwarded' } });
    const open = await rig.raw({ path: '/prerender_admin', headers: from('shop.test') });
    expect(open.body.toString()).toBe('next handler');
  });

  it('with `host` as the header, leaves hosts that are not served to the next handler', async () => {
    rig.setOptions({ ingress: { mode: 'forwarded', hostHeader: 'host' } });
    expect((await rig.raw({ path: '/a', headers: [['Host', 'node-1']] })).body.toString()).toBe('next handler');
    expect((await rig.raw({ path: '/a', headers: [['Host', 'shop.test']] })).body.toString()).toBe('<h1>origin</h1>');
  });
});
