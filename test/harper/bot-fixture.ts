import { gzipSync } from 'node:zlib';
import { startShop, type Shop } from '../shop/shop.ts';
import { bootPrerender, type BootedPrerender, type BootOptions } from './harness/instance.ts';
import { rawRequest, type RawRequest, type RawResponse } from './harness/raw-http.ts';
import { waitFor } from './harness/wait-for.ts';
import type { JobResultMetadata, RenderJob } from '../../src/protocol/job.ts';

export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
export const HOST = 'shop.test';

type Headers = readonly (readonly [name: string, value: string])[];

/** The product on a real Harper with the sample shop behind it. */
export interface BotFixture {
  readonly shop: Shop;
  readonly booted: BootedPrerender;
  /** A crawler's request in prefix mode, for a path of the shop or an absolute URL; byte for byte, on a connection of its own. */
  ask(path: string, headers?: Headers, more?: Partial<RawRequest>): Promise<RawResponse>;
  /** Stores `html` as the rendered page of every device by way of the queue, as a worker does. The URL needs a Target. */
  render(path: string, html: string, over?: Partial<JobResultMetadata>): Promise<void>;
  target(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startBotFixture(boot: BootOptions = {}): Promise<BotFixture> {
  const shop = await startShop({ products: 50, publicOrigin: `https://${HOST}` });
  try {
    const booted = await bootPrerender({ ...boot, options: { ...optionsFor(shop), ...boot.options } });
    return describeFixture(shop, booted);
  } catch (error) {
    await shop.stop();
    throw error;
  }
}

function optionsFor(shop: Shop): Record<string, unknown> {
  return {
    domains: [HOST],
    ingress: {
      routes: [
        { match: 'prefix', path: '/echo', mode: 'prerender', queryParams: ['*'] },
        { match: 'prefix', path: '/', mode: 'prerender', queryParams: ['color'] },
      ],
    },
    origin: {
      upstreams: { [HOST]: shop.origin },
      privateAddresses: [`127.0.0.1:${shop.port}`],
      bypassToken: 'shop-lets-us-through',
    },
    render: { firstRenderWithin: 0 },
  };
}

function describeFixture(shop: Shop, booted: BootedPrerender): BotFixture {
  const jobs = new Map<string, RenderJob>();
  const keyOf = (path: string, device: string): string => `https://${HOST}${path} ${device}`;

  const claim = async (): Promise<void> => {
    const response = await booted.instance.request('/render_queue/claim', {
      method: 'POST',
      auth: true,
      headers: { 'content-type': 'application/json' },
      body: '{"limit":100}',
    });
    for (const job of (await response.json()) as RenderJob[]) jobs.set(`${job.url} ${job.deviceType}`, job);
  };
  const jobFor = async (path: string, device: string): Promise<RenderJob> => {
    const key = keyOf(path, device);
    await waitFor(
      async () => {
        if (!jobs.has(key)) await claim();
        return jobs.has(key);
      },
      { what: `a job for ${key}` },
    );
    const job = jobs.get(key);
    jobs.delete(key);
    if (job === undefined) throw new Error(`There is no job for ${key}`);
    return job;
  };
  const report = async (job: RenderJob, html: string, over: Partial<JobResultMetadata>): Promise<void> => {
    const metadata: JobResultMetadata = {
      id: job.id,
      url: job.url,
      statusCode: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
      renderTime: 10,
      redirectedTo: null,
      isIndexable: true,
      outcome: 'rendered',
      reason: null,
      error: null,
      fetchedAt: Date.now(),
      ...over,
    };
    const head = Buffer.from(JSON.stringify(metadata));
    const response = await booted.instance.request('/render_queue/job_result', {
      method: 'POST',
      auth: true,
      headers: { 'content-type': 'application/octet-stream', 'x-metadata-size': String(head.length) },
      body: new Uint8Array(Buffer.concat([head, gzipSync(html)])),
    });
    if (response.status !== 204)
      throw new Error(`The result was answered ${response.status}: ${await response.text()}`);
  };

  return {
    shop,
    booted,
    ask: (path, headers = [], more = {}) =>
      rawRequest({
        baseUrl: booted.instance.httpUrl,
        path: path.startsWith('/') ? `/p/https://${HOST}${path}` : `/p/${path}`,
        headers: [
          ['Host', 'prerender.test'],
          ['Connection', 'close'],
          ...(headers.some(([name]) => name === 'User-Agent') ? [] : ([['User-Agent', GOOGLEBOT]] as const)),
          ...headers,
        ],
        ...more,
      }),
    async render(path, html, over = {}) {
      for (const device of ['desktop', 'mobile']) await report(await jobFor(path, device), html, over);
    },
    async target(path) {
      const response = await booted.instance.request(`/Target/https://${HOST}${path}`, { auth: true });
      return response.status === 200 ? ((await response.json()) as unknown) : undefined;
    },
    async stop() {
      await booted.stop();
      await shop.stop();
    },
  };
}
