import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HttpResponse, HttpUser } from '../../../src/harper/http.ts';
import type { RenderJob } from '../../../src/protocol/job.ts';
import { createResultReader } from '../../../src/protocol/check-result.ts';
import { createQueueHandlers } from '../../../src/queue/http.ts';
import { testConfig } from '../fakes/config.ts';
import { fakeRequest, SUPER_USER, type FakeRequestOptions } from '../fakes/http-request.ts';
import { recordingLogger } from '../fakes/logger.ts';
import { QueueNode, resultOf } from './queue-node.ts';

const WORKER: HttpUser = { username: 'worker', role: { role: 'prerender_worker', permission: {} } };
const OTHER: HttpUser = { username: 'eve', role: { role: 'reader', permission: {} } };

function setup(options: object = {}) {
  const node = new QueueNode(options);
  const logger = recordingLogger();
  const queue = node.thread();
  const handler = createQueueHandlers({ queue, reader: createResultReader(), config: node.config, logger });
  const send = async (request: FakeRequestOptions): Promise<HttpResponse & { body?: string }> => {
    const answer = await handler(fakeRequest({ method: 'POST', user: WORKER, ...request }), () => ({
      status: 418,
      headers: {},
    }));
    return { ...answer, body: textOf(answer) };
  };
  const report = (job: RenderJob): Promise<HttpResponse> => {
    const { metadata, html } = resultOf(job);
    const json = Buffer.from(JSON.stringify(metadata));
    const headers = { 'x-metadata-size': String(json.length) };
    return send({ url: '/render_queue/job_result', body: Buffer.concat([json, html]), headers });
  };
  return { node, queue, logger, send, report };
}

function textOf({ body }: HttpResponse): string | undefined {
  return typeof body === 'string' ? body : undefined;
}

const CLAIM = '/render_queue/claim';
const RESULT = '/render_queue/job_result';

describe('the queue endpoints', () => {
  it('hand other paths on', async () => {
    const { send } = setup();
    expect((await send({ url: '/render_queues' })).status).toBe(418);
    expect((await send({ url: '/' })).status).toBe(418);
  });

  it.each([CLAIM, RESULT, '/render_queue', '/render_queue/x'])(
    'are closed to anyone but the role and super users: %s',
    async (url) => {
      const { send } = setup();
      const anonymous = await send({ url, user: undefined });
      expect(anonymous.status).toBe(401);
      expect(anonymous.headers['www-authenticate']).toBe('Basic realm="render_queue"');
      expect((await send({ url, user: OTHER })).status).toBe(403);
      expect((await send({ url, user: { username: 'x' } })).status).toBe(403);
    },
  );

  it('let super users and the role claim', async () => {
    const { send } = setup();
    for (const user of [SUPER_USER, WORKER]) {
      expect(await send({ url: CLAIM, user, body: '{"limit":1}' })).toMatchObject({ status: 200, body: '[]' });
    }
  });

  it.each(['GET', 'PUT', 'DELETE', 'HEAD'])('answer %s with 405 and what is allowed', async (method) => {
    const { send } = setup();
    expect(await send({ url: CLAIM, method })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('answer an unknown path with 404', async () => {
    expect((await setup().send({ url: '/render_queue/nothing' })).status).toBe(404);
  });

  it('grant what was recorded of the 1.18 worker, by its shape', async () => {
    const { node, send } = setup();
    await node.due('https://shop.test/a');
    const file = new URL('../../data/worker-1.18/claim.json', import.meta.url);
    const { request, response } = JSON.parse(readFileSync(file, 'utf8')) as {
      request: { path: string; body: string; headers: Record<string, string> };
      response: { body: Record<string, unknown>[] };
    };
    const answer = await send({ url: request.path, body: request.body, headers: request.headers });
    const jobs = JSON.parse(answer.body ?? '') as Record<string, unknown>[];
    const shape = (job: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(job).map(([name, value]) => [name, typeof value]));
    const { headers: _optional, ...expected } = shape(response.body[0]!);
    expect(jobs.map(shape)).toEqual([expected, expected]);
  });

  it.each([
    ['{', 'not JSON'],
    ['[1]', 'has to be an object'],
    ['"x"', 'has to be an object'],
    ['{"limit":0}', 'not 0'],
    ['{"limit":1.5}', 'not 1.5'],
    ['{"limit":"9"}', 'not \\"9\\"'],
    ['{"limit":null}', 'not null'],
  ])('refuse a claim that is malformed: %s', async (body, message) => {
    const answer = await setup().send({ url: CLAIM, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(message);
  });

  it('cut a claim down to what one may be granted, and take an empty body for that', async () => {
    const { node, send } = setup({ render: { maxClaim: 3 } });
    for (let index = 0; index < 5; index++) await node.due(`https://shop.test/${index}`);
    const granted = async (body?: string) => JSON.parse((await send({ url: CLAIM, body })).body ?? '') as RenderJob[];
    expect(await granted('{"limit":1000000}')).toHaveLength(3);
    expect(await granted()).toHaveLength(3);
  });

  it('answer 204 to a result, to the same once more, and to one that comes too late', async () => {
    const { node, queue, report } = setup();
    await node.due('https://shop.test/a');
    const [desktop, mobile] = await queue.claim(2);
    expect(await report(desktop!)).toMatchObject({ status: 204 });
    expect(await report(desktop!)).toMatchObject({ status: 204 });
    await node.clock.turn(121_000);
    expect(await report(mobile!)).toMatchObject({ status: 204 });
    expect(node.pages.stored.size).toBe(1);
  });

  it('refuse what is malformed or too large, and lose no lease by it', async () => {
    const { node, queue, send, report } = setup({ render: { maxResultBytes: 65_536 } });
    await node.due('https://shop.test/a');
    const [desktop] = await queue.claim(1);
    expect((await send({ url: RESULT, body: '{}' })).status).toBe(400);
    expect((await send({ url: RESULT, body: '{}', headers: { 'x-metadata-size': '2' } })).status).toBe(400);
    const large = await send({ url: RESULT, body: Buffer.alloc(400_000) });
    expect(large).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect((await report(desktop!)).status).toBe(204);
    expect(node.pages.stored.size).toBe(1);
  });

  it('put results off while they are not taken', async () => {
    const { node, queue, report } = setup({ render: { acceptResults: false } });
    await node.due('https://shop.test/a');
    const [job] = await queue.claim(1);
    expect((await report(job!)).status).toBe(503);
    node.config.set({ render: { acceptResults: true } });
    expect((await report(job!)).status).toBe(204);
  });

  it('answer 503 and log it when something breaks inside', async () => {
    const logger = recordingLogger();
    const broken = () => Promise.reject(new Error('disk full'));
    const queue = { claim: broken, take: broken };
    const handler = createQueueHandlers({ queue, reader: createResultReader(), config: testConfig(), logger });
    const answer = await handler(fakeRequest({ method: 'POST', url: CLAIM, user: WORKER, body: '{}' }), () => ({
      status: 418,
      headers: {},
    }));
    expect(answer.status).toBe(503);
    expect(answer.body).not.toContain('disk full');
    expect(logger.lines).toEqual(['error: /render_queue/claim failed: disk full']);
  });
});
