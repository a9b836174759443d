import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClaimClient, parseJobs, type ClaimClient } from '../../../src/worker/claim-client.ts';
import { failureMessage } from '../../../src/worker/result-message.ts';

const JOB = {
  id: 'a',
  url: 'https://shop.test/p',
  deviceType: 'desktop',
  expiresAt: 1,
  callbackOrigin: 'node',
  isFromSitemap: true,
};

let server: Server;
let url: string;
let client: ClaimClient;
let answers: { status: number; body?: string }[];
let seen: { url: string; headers: IncomingHttpHeaders; body: Buffer }[];

beforeEach(async () => {
  [answers, seen] = [[], []];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      const answer = answers.shift() ?? { status: 204 };
      if (answer.status === -1) return;
      if (answer.status === 0) request.socket.destroy();
      else response.writeHead(answer.status).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createClaimClient({ user: 'w', password: 'p:x', timeout: 2000, now: Date.now });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('claiming', () => {
  it('asks with the limit and Basic authentication, and reads the jobs', async () => {
    answers.push({
      status: 200,
      body: JSON.stringify([{ ...JOB, headers: { a: 'b' }, renderBudget: 5, later: true }]),
    });
    expect(await client.claim(url, 3)).toMatchObject([JOB]);
    expect(seen[0]?.url).toBe('/render_queue/claim');
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('w:p:x').toString('base64')}`);
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    expect(seen[0]?.body.toString()).toBe('{"limit":3}');
  });

  it('a refusal says status and answer', async () => {
    answers.push({ status: 403, body: 'This needs the role' });
    await expect(client.claim(url, 1)).rejects.toThrow('the claim was answered with 403: This needs the role');
  });

  it('an answer that is no list of jobs is refused as such', () => {
    expect(() => parseJobs('<html>')).toThrow('not JSON');
    expect(() => parseJobs('{}')).toThrow('not an array');
    for (const broken of [
      { ...JOB, id: 1 },
      { ...JOB, url: 'nope' },
      { ...JOB, expiresAt: '1' },
      { ...JOB, headers: { a: 1 } },
      null,
    ])
      expect(() => parseJobs(JSON.stringify([JOB, broken]))).toThrow('job 1 of the answer');
    expect(parseJobs('[]')).toEqual([]);
  });
});

describe('delivering', () => {
  const message = failureMessage(JOB, new Error('é'), 5);
  const soon = () => Date.now() + 10_000;
  const going = new AbortController().signal;

  it('sends metadata and body with their size in bytes', async () => {
    expect(await client.deliver(url, message, soon(), going)).toEqual({ delivered: true });
    expect(seen[0]?.url).toBe('/render_queue/job_result');
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-metadata-size': String(message.metadataSize),
    });
    expect(JSON.parse(seen[0]?.body.toString() ?? '')).toMatchObject({ id: 'a', error: { message: 'é' } });
    expect(seen[0]?.body.length).toBe(message.metadataSize);
  });

  it('tries again after 429, 502, 503, 504 and a broken connection', async () => {
    answers.push({ status: 503 }, { status: 0 });
    expect(await client.deliver(url, message, soon(), going)).toEqual({ delivered: true });
    expect(seen).toHaveLength(3);
  });

  it('gives up on every other status at once', async () => {
    for (const status of [200, 400, 401, 500]) {
      answers = [{ status, body: 'why' }];
      seen = [];
      expect(await client.deliver(url, message, soon(), going)).toEqual({
        delivered: false,
        reason: `answered with ${status}: why`,
      });
      expect(seen).toHaveLength(1);
    }
  });

  it('gives up when the worker stops, whether it waits for the next try or for an answer', async () => {
    for (const answer of [{ status: 503 }, { status: -1 }]) {
      answers = Array.from({ length: 9 }, () => answer);
      seen = [];
      const stop = new AbortController();
      const delivery = client.deliver(url, message, Date.now() + 60_000, stop.signal);
      while (seen.length < 1) await new Promise((resolve) => setTimeout(resolve, 2));
      stop.abort(new Error('the worker stops'));
      const started = Date.now();
      expect(await delivery).toMatchObject({ delivered: false });
      expect(Date.now() - started).toBeLessThan(200);
      expect(seen).toHaveLength(1);
    }
    const stopped = AbortSignal.abort(new Error('the worker stops'));
    expect(await client.deliver(url, message, soon(), stopped)).toEqual({
      delivered: false,
      reason: 'the worker stops',
    });
    expect(seen).toHaveLength(1);
  });

  it('gives up at the end of the lease', async () => {
    answers.push({ status: 503 }, { status: 503 });
    expect(await client.deliver(url, message, Date.now() + 50, going)).toMatchObject({ delivered: false });
    expect(seen).toHaveLength(1);
  });
});
