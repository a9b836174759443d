import { gzipSync } from 'node:zlib';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResultMetadata, RenderJob } from '../../src/protocol/job.ts';
import { assertCleanLog, bootPrerender, type BootedPrerender } from './harness/instance.ts';
import { waitFor } from './harness/wait-for.ts';

const HOST = 'shop.example';
/** Longer than a restart of Harper takes. */
const LEASE_MS = 30_000;
const WORKER = { user: 'fleet', password: 'fleet-pass-1' };
const READER = { user: 'reader', password: 'reader-pass-1' };
const urlOf = (name: string): string => `http://${HOST}/product/${name}`;

/** Options under which every new Target is due at once, and leases are short. */
const OPTIONS = {
  domains: [HOST],
  ingress: { routes: [{ match: 'prefix', path: '/product/', mode: 'prerender' }] },
  render: { firstRenderWithin: 0, leaseTime: LEASE_MS },
};

describe('the queue on a real Harper with two threads', () => {
  let booted: BootedPrerender;

  beforeAll(async () => {
    booted = await bootPrerender({ options: OPTIONS, threads: 2 });
    const { instance } = booted;
    await instance.operation({ operation: 'add_role', role: 'reader', permission: { super_user: false } });
    await addUser(WORKER, 'prerender_worker');
    await addUser(READER, 'reader');
    // The nodes of the cluster are known only once their list has settled.
    await add('warm-up');
    await waitFor(async () => (await claim(2)).length > 0, { what: 'the first claim is granted', limitMs: 30_000 });
  });

  afterAll(() => booted?.stop());

  /** URLs whose leases must not be granted again, and what was granted of them all the same. */
  const leased = new Set<string>();
  const again: RenderJob[] = [];

  const addUser = (who: { user: string; password: string }, role: string) =>
    booted.instance.operation({
      operation: 'add_user',
      username: who.user,
      password: who.password,
      role,
      active: true,
    });

  /** A connection of its own each time, so that both threads get their share. */
  const post = (
    path: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
    auth: object | false = WORKER,
  ) =>
    booted.instance.request(path, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
      headers: { connection: 'close', ...headers },
      auth: auth as typeof WORKER,
    });

  async function add(name: string): Promise<string> {
    const url = urlOf(name);
    const response = await booted.instance.request(`/Target/${url}`, {
      method: 'PUT',
      auth: true,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBeLessThan(300);
    return url;
  }

  async function claim(limit: number): Promise<RenderJob[]> {
    const response = await post('/render_queue/claim', JSON.stringify({ limit }), {
      'content-type': 'application/json',
    });
    expect(response.status).toBe(200);
    return (await response.json()) as RenderJob[];
  }

  /** Claims until jobs of the URL come. */
  async function claimOf(url: string): Promise<RenderJob[]> {
    const found: RenderJob[] = [];
    await waitFor(
      async () => {
        const jobs = await claim(100);
        found.push(...jobs.filter((job) => job.url === url));
        again.push(...jobs.filter((job) => leased.has(job.url)));
        return found.length > 0;
      },
      { what: `${url} is granted`, limitMs: 20_000, everyMs: 200 },
    );
    return found;
  }

  function report(
    job: RenderJob,
    metadata: Partial<JobResultMetadata> = {},
    html = '<h1>Rendered</h1>',
  ): Promise<Response> {
    const json = Buffer.from(
      JSON.stringify({
        id: job.id,
        url: job.url,
        statusCode: 200,
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
        renderTime: 900,
        redirectedTo: null,
        isIndexable: true,
        outcome: 'rendered',
        reason: null,
        error: null,
        ...metadata,
      }),
    );
    return post('/render_queue/job_result', Buffer.concat([json, gzipSync(html)]), {
      'content-type': 'application/octet-stream',
      'x-metadata-size': String(json.length),
    });
  }

  it('is closed to anyone but the worker role and super users', async () => {
    for (const path of ['/render_queue/claim', '/render_queue/job_result']) {
      expect((await post(path, '{}', {}, false)).status).toBe(401);
      expect((await post(path, '{}', {}, READER)).status).toBe(403);
    }
    expect(
      (await post('/render_queue/claim', '{}', {}, { user: booted.instance.user, password: booted.instance.password }))
        .status,
    ).toBe(200);
  });

  it('gives the worker role nothing else', async () => {
    for (const path of [`/Target/${urlOf('warm-up')}`, '/prerender_admin/config']) {
      expect((await booted.instance.request(path, { auth: WORKER })).status).toBe(403);
    }
    await expect(
      fetch(booted.instance.operationsUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`${WORKER.user}:${WORKER.password}`).toString('base64')}`,
        },
        body: JSON.stringify({
          operation: 'search_by_value',
          database: 'render_service',
          table: 'Target',
          search_attribute: 'url',
          search_value: '*',
          get_attributes: ['url'],
        }),
      }).then((response) => response.status),
    ).resolves.toBe(403);
  });

  it('grants each job once over both threads, and stores what comes back', async () => {
    const urls: string[] = [];
    for (let index = 0; index < 30; index++) urls.push(await add(`once-${index}`));
    const granted: RenderJob[] = [];
    await waitFor(
      async () => {
        const answers = await Promise.all(Array.from({ length: 6 }, () => claim(7)));
        granted.push(...answers.flat().filter((job) => job.url.includes('once-')));
        return granted.length >= 60;
      },
      { what: 'all are granted', limitMs: 6_000, everyMs: 100 },
    );
    expect(new Set(granted.map((job) => `${job.url}|${job.deviceType}`)).size).toBe(granted.length);
    expect(granted).toHaveLength(60);
    const answers = await Promise.all(granted.map((job) => report(job)));
    expect(new Set(answers.map((response) => response.status))).toEqual(new Set([204]));
    const page = await booted.instance.request(`/p/${urls[0]}`, {
      headers: { 'user-agent': 'Googlebot/2.1', 'x-prerender-debug': '1' },
    });
    expect(page.headers.get('x-prerender-status')).toBe('hit');
    expect(await page.text()).toContain('Rendered');
  });

  it('refuses what is malformed, answers always, and loses no lease by it', async () => {
    const url = await add('malformed');
    const [job] = await claimOf(url);
    const bomb = gzipSync(Buffer.alloc(30_000_000));
    const json = Buffer.from(
      JSON.stringify({
        id: job!.id,
        url,
        statusCode: 200,
        outcome: 'rendered',
        headers: { 'content-encoding': 'gzip' },
      }),
    );
    const size = { 'x-metadata-size': String(json.length) };
    expect((await post('/render_queue/job_result', Buffer.concat([json, bomb]), size)).status).toBe(400);
    expect((await post('/render_queue/job_result', json)).status).toBe(400);
    expect((await post('/render_queue/job_result', '{"id":', { 'x-metadata-size': '6' })).status).toBe(400);
    expect((await post('/render_queue/claim', '{')).status).toBe(400);
    expect((await post('/render_queue/claim', Buffer.alloc(100_000))).status).toBe(413);
    expect((await booted.instance.request('/render_queue/claim', { auth: WORKER })).status).toBe(405);
    expect((await report(job!)).status).toBe(204);
  });

  it('publishes its state over MQTT to the worker role', async () => {
    const client = await connectAsync(booted.instance.mqttUrl, {
      username: WORKER.user,
      password: WORKER.password,
      protocolVersion: 5,
      reconnectPeriod: 0,
    });
    const states: string[] = [];
    client.on('message', (_topic, payload) => {
      states.push((JSON.parse(payload.toString()) as { status: string }).status);
    });
    try {
      await client.subscribeAsync('queue_status/#', { qos: 1 });
      await add('mqtt');
      await waitFor(() => states.includes('queued'), { what: 'the queue is told to have jobs', limitMs: 15_000 });
    } finally {
      await client.endAsync(true);
    }
  });

  it('honours a lease after a crash until it would have ended, takes its result, and grants the other again', async () => {
    const [kept, lost] = [await add('crash-kept'), await add('crash-lost')];
    const jobs: RenderJob[] = [];
    await waitFor(
      async () => {
        jobs.push(...(await claim(100)).filter((job) => job.url === kept || job.url === lost));
        return jobs.length >= 4;
      },
      { what: 'both are granted', limitMs: 15_000, everyMs: 200 },
    );
    leased.add(kept).add(lost);
    await booted.nodes[0]!.kill();
    await booted.restart();
    const afterCrash = await add('after-crash');
    await waitFor(async () => (await claimOf(afterCrash)).length > 0, {
      what: 'the queue goes on',
      limitMs: 20_000,
    });
    const ends = Math.min(...jobs.map((job) => job.expiresAt));
    expect(Date.now()).toBeLessThan(ends);
    expect(again).toEqual([]);
    for (const job of jobs.filter(({ url }) => url === kept)) expect((await report(job)).status).toBe(204);
    const page = await booted.instance.request(`/p/${kept}`, {
      headers: { 'user-agent': 'Googlebot/2.1', 'x-prerender-debug': '1' },
    });
    expect(page.headers.get('x-prerender-status')).toBe('hit');
    await waitFor(() => Date.now() > ends, { what: 'the leases have ended', limitMs: LEASE_MS + 1_000 });
    const anew = await claimOf(lost);
    expect(jobs.map((job) => job.id)).not.toContain(anew[0]?.id);
  });

  it('leaves a clean log', () => assertCleanLog(booted.instance));
});
