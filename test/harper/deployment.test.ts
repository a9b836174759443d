import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startShop, type Shop } from '../shop/shop.ts';
import { assertCleanLog, bootPrerender, type BootedPrerender } from './harness/instance.ts';
import { waitFor } from './harness/wait-for.ts';

const HOST = 'shop.example';

/** Options that serve the sample shop under its public name. */
function shopOptions(shop: Shop, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    domains: [HOST],
    origin: {
      upstreams: { [HOST]: shop.origin },
      privateAddresses: [`127.0.0.1:${shop.port}`],
    },
    ingress: { routes: [{ match: 'prefix', path: '/product/', mode: 'prerender' }] },
    ...changes,
  };
}

describe.each(['mounted', 'direct'] as const)('the product %s', (mode) => {
  let shop: Shop;
  let booted: BootedPrerender;

  beforeAll(async () => {
    shop = await startShop({ publicOrigin: `http://${HOST}` });
    booted = await bootPrerender({ mode, options: shopOptions(shop) });
  });

  afterAll(async () => {
    await booted?.stop();
    await shop?.stop();
  });

  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    booted.instance.request(`/p/http://${HOST}${path}`, { headers: { 'user-agent': 'Googlebot/2.1', ...headers } });

  it('answers the health check', async () => {
    const response = await booted.instance.request('/prerender_health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  it("answers a crawler with the origin's page and adds a Target", async () => {
    const { path, url } = shop.product(3);
    const response = await ask(path, { 'x-prerender-debug': '1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-prerender-status')).toBe('miss');
    expect(await response.text()).toContain('<html');
    await waitFor(async () => (await booted.instance.request(`/Target/${url}`, { auth: true })).status === 200, {
      what: 'the Target',
      limitMs: 10_000,
    });
  });

  it('takes a changed option without a restart', async () => {
    expect((await ask('/product/prd-1/x.jsp')).status).toBe(200);
    booted.writeOptions(shopOptions(shop, { domains: ['other.example'] }));
    await waitFor(async () => (await ask('/product/prd-1/x.jsp')).status === 403, {
      what: 'the host to be refused',
      limitMs: 20_000,
    });
    booted.writeOptions(shopOptions(shop), 'in-place');
    await waitFor(async () => (await ask('/product/prd-1/x.jsp')).status === 200, {
      what: 'the host to be served again',
      limitMs: 20_000,
    });
  });

  it('keeps the last good configuration when the changed one is bad, and says what is wrong', async () => {
    booted.writeOptions(shopOptions(shop, { domains: HOST, render: { intervall: 1 } }));
    await waitFor(async () => (await problems()).some(({ text }) => text.includes('render.interval')), {
      what: 'the problem to be shown',
      limitMs: 20_000,
    });
    expect((await problems()).find(({ path }) => path === 'domains')?.text).toContain('list');
    expect((await ask('/product/prd-1/x.jsp')).status).toBe(200);
    booted.writeOptions(shopOptions(shop));
    await waitFor(async () => (await problems()).length === 0, { what: 'the problem to go', limitMs: 20_000 });
  });

  it('shows super users its metrics, and nobody else', async () => {
    const response = await booted.instance.request('/prerender_admin/metrics', { auth: true });
    const { metrics } = (await response.json()) as { metrics: { name: string }[] };
    expect(metrics.map(({ name }) => name)).toContain('bot_serve');
    expect((await booted.instance.request('/prerender_admin/metrics')).status).toBe(401);
    expect((await booted.instance.request('/Target/http://shop.example/product/x')).status).toBe(401);
  });

  it('writes Targets only as the design gives it a meaning', async () => {
    const url = `http://${HOST}/product/prd-9/by-hand.jsp`;
    const send = (method: string, path: string, body?: unknown) =>
      booted.instance.request(path, {
        auth: true,
        method,
        headers: { 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    expect((await send('PUT', `/Target/${url}?utm_source=a`, { renderInterval: 3_600_000 })).status).toBeLessThan(300);
    const stored = (await (await send('GET', `/Target/${url}`)).json()) as { source: string; renderInterval: number };
    expect(stored).toMatchObject({ url, source: 'admin', renderInterval: 3_600_000 });
    expect((await send('POST', '/Target', { action: 'revalidate', url })).status).toBeLessThan(300);
    expect((await send('POST', '/Target', { action: 'revalidat', url })).status).toBe(400);
    expect((await send('PUT', '/Target/http://elsewhere.example/product/1', {})).status).toBe(400);
    const malformed = await booted.instance.request(`/Target/${url}`, {
      auth: true,
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toMatchObject({ error: { code: 'BODY_INVALID' } });
    expect((await send('GET', `/Target/${encodeURIComponent(url)}`)).status).toBe(200);
    expect((await send('PATCH', `/Target/${url}`, { state: 'moved' })).status).toBe(405);
    expect((await send('DELETE', `/Target/${url}`)).status).toBeLessThan(300);
    expect((await send('GET', `/Target/${url}`)).status).toBe(404);
  });

  it('leaves a clean log', () => {
    assertCleanLog(booted.instance, [/harper-prerender|render\.interval|domains/]);
  });

  async function problems(): Promise<{ path: string; text: string }[]> {
    const response = await booted.instance.request('/prerender_admin/config', { auth: true });
    return ((await response.json()) as { problems: { path: string; text: string }[] }).problems;
  }
});
