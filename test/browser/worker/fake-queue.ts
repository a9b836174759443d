import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { JobResultMetadata, RenderJob } from '../../../src/protocol/job.ts';

export interface ReceivedResult {
  metadata: JobResultMetadata;
  html: string;
  authorization: string | undefined;
  contentType: string | undefined;
}

export interface FakeQueue {
  url: string;
  results: ReceivedResult[];
  claims: number[];
  /** Statuses that the next results are answered with, before 204 again. */
  refuseResultsWith: number[];
  /** Files a job; answers its id. */
  add(url: string, job?: Partial<RenderJob>): string;
  /** Waits for the result of a job. */
  result(id: string, limitMs?: number): Promise<ReceivedResult>;
  close(): Promise<void>;
}

/** A queue node that speaks the wire protocol of the plugin. */
export async function startFakeQueue(): Promise<FakeQueue> {
  const waiting: RenderJob[] = [];
  const results: ReceivedResult[] = [];
  const claims: number[] = [];
  const refuseResultsWith: number[] = [];
  let counter = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (request.url === '/render_queue/claim') {
        const { limit } = JSON.parse(body.toString()) as { limit: number };
        claims.push(limit);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(waiting.splice(0, limit)));
        return;
      }
      const status = refuseResultsWith.shift() ?? 204;
      if (status === 204) {
        const size = Number(request.headers['x-metadata-size']);
        const metadata = JSON.parse(body.subarray(0, size).toString()) as JobResultMetadata;
        const rest = body.subarray(size);
        const html = metadata.headers['content-encoding'] === 'gzip' ? gunzipSync(rest).toString() : rest.toString();
        results.push({
          metadata,
          html,
          authorization: request.headers.authorization,
          contentType: request.headers['content-type'],
        });
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${port}`,
    results,
    claims,
    refuseResultsWith,
    add(url, job = {}) {
      const id = `job-${++counter}`;
      waiting.push({
        id,
        url,
        deviceType: 'desktop',
        expiresAt: Date.now() + 300_000,
        callbackOrigin: `127.0.0.1:${port}`,
        isFromSitemap: false,
        ...job,
      });
      return id;
    },
    async result(id, limitMs = 150_000) {
      const until = Date.now() + limitMs;
      for (;;) {
        const found = results.find(({ metadata }) => metadata.id === id);
        if (found) return found;
        if (Date.now() > until) throw new Error(`no result of ${id} within ${limitMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
