import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRig, until, type Rig } from '../rig.ts';

let rig: Rig;
let held: ServerResponse[];
beforeEach(async () => {
  rig = await startRig();
  held = [];
});
afterEach(() => rig.stop());

const hold: RequestListener = (_request, response) => void held.push(response);
const html = { 'content-type': 'text/html' };
const url = (path: string): string => `${rig.frontUrl}/p/https://shop.test${path}`;

/** Starts `count` requests of one page and waits until the origin has the first and the others wait for it. */
async function together(count: number, path = '/a'): Promise<Promise<Response>[]> {
  rig.answer = hold;
  const first = fetch(url(path));
  await until('the origin is asked', () => held.length === 1);
  const others = Array.from({ length: count - 1 }, () => fetch(url(path)));
  await until(
    'all requests have come',
    () => rig.metrics.filter((line) => line.startsWith('botRequest')).length === count,
  );
  return [first, ...others];
}

describe('concurrent misses of one page', () => {
  it('share one origin fetch', async () => {
    const requests = await together(10);
    held[0]?.writeHead(200, html).end('one page');
    const bodies = await Promise.all(requests.map(async (response) => (await response).text()));
    expect(new Set(bodies)).toEqual(new Set(['one page']));
    expect(rig.asked.length).toBe(1);
    expect(rig.metrics.filter((line) => line === 'originShared prefix:/').length).toBe(9);
    await rig.handler.idle();
    expect(rig.minted.length).toBe(1);
  });

  for (const [name, status, headers] of [
    ['sets a cookie', 200, { ...html, 'set-cookie': 's=1' }],
    ['is private', 200, { ...html, 'cache-control': 'max-age=0, private' }],
    ['is no-store', 200, { ...html, 'cache-control': 'no-store' }],
    ['varies by everything', 200, { ...html, vary: '*' }],
    ['is an error', 404, html],
    ['is announced as too long', 200, { ...html, 'content-length': String(3_000_000) }],
  ] as const) {
    it(`ask for themselves when the answer ${name}`, async () => {
      const requests = await together(3);
      const respond: RequestListener = (_request, response) => {
        const length = 'content-length' in headers ? Number(headers['content-length']) : 1;
        response.writeHead(status, headers).end('x'.repeat(length));
      };
      rig.answer = respond;
      const [first] = held;
      if (first) respond(first.req, first);
      const statuses = await Promise.all(requests.map(async (response) => (await response).status));
      expect(statuses).toEqual([status, status, status]);
      await Promise.all(requests.map(async (response) => (await response).arrayBuffer()));
      expect(rig.asked.length).toBe(3);
    });
  }

  it('ask for themselves when the body turns out too long, which the first still gets whole', async () => {
    rig.setOptions({ origin: { ...rig.config.origin, maxSharedBytes: 100_000 } });
    const requests = await together(3);
    const long = 'y'.repeat(400_000);
    rig.answer = (_request, response) => response.writeHead(200, html).end(long);
    held[0]?.writeHead(200, html);
    held[0]?.write(long.slice(0, 50_000));
    held[0]?.end(long.slice(50_000));
    const bodies = await Promise.all(requests.map(async (response) => (await response).text()));
    expect(bodies.map(({ length }) => length)).toEqual([400_000, 400_000, 400_000]);
    expect(rig.asked.length).toBe(3);
  });

  it('share an error of the origin too', async () => {
    const requests = await together(4);
    rig.answer = (request) => request.socket.destroy();
    held[0]?.destroy();
    const statuses = await Promise.all(requests.map(async (response) => (await response).status));
    expect(statuses).toEqual([502, 502, 502, 502]);
    // A lost connection is tried once more, since it may have been an idle one that closed.
    expect(rig.asked.length).toBe(2);
  });

  it('are answered when the first one leaves, before and after the headers', async () => {
    for (const when of ['before', 'after'] as const) {
      held = [];
      rig.answer = hold;
      const controller = new AbortController();
      const leader = fetch(url(`/${when}`), { signal: controller.signal });
      leader.catch(() => undefined);
      await until('the origin is asked', () => held.length === 1);
      const before = rig.metrics.length;
      const follower = fetch(url(`/${when}`));
      await until('the second has come', () => rig.metrics.length > before);
      if (when === 'after') {
        held[0]?.writeHead(200, html);
        held[0]?.write('shared ');
        await leader;
      }
      controller.abort();
      await until('the first has left', () => rig.running.size === 1);
      held[0]?.end('body');
      expect(await (await follower).text()).toBe(when === 'after' ? 'shared body' : 'body');
    }
    expect(rig.asked.length).toBe(2);
  });

  it('wait for another no longer than they would for the origin', async () => {
    const requests = await together(2);
    held[0]?.writeHead(200, html);
    held[0]?.write('slow');
    rig.setOptions({ origin: { ...rig.config.origin, headersTimeout: 100 } });
    const third = fetch(url('/a'));
    rig.answer = (_request, response) => response.writeHead(200, html).end('own');
    expect(await (await third).text()).toBe('own');
    held[0]?.end('ly');
    expect(await Promise.all(requests.map(async (response) => (await response).text()))).toEqual(['slowly', 'slowly']);
  });

  it('do not share across encodings, languages or devices', async () => {
    rig.answer = hold;
    const variants = [{}, { 'accept-encoding': 'gzip' }, { 'accept-language': 'fr' }, { 'x-device-type': 'mobile' }];
    const requests = variants.map((headers) => rig.ask('/a', { headers: Object.entries(headers) }));
    await until('each asks for itself', () => held.length === variants.length);
    for (const response of held) response.writeHead(200, html).end('x');
    await Promise.all(requests);
    expect(rig.asked.length).toBe(variants.length);
  });
});
