import { createServer as createHttpServer, request } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrerenderError } from '../../../src/errors.ts';
import type { AddressPolicy } from '../../../src/worker/address-policy.ts';
import { startEgressProxy, type EgressProxy } from '../../../src/worker/egress-proxy.ts';

let proxy: EgressProxy;
let web: Server;
let echo: Server;
let seen: { method: string; url: string; raw: string[] }[];

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeEach(async () => {
  seen = [];
  web = createHttpServer((incoming, response) => {
    seen.push({ method: incoming.method ?? '', url: incoming.url ?? '', raw: incoming.rawHeaders });
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => response.writeHead(207, { 'X-Answer': 'Yes' }).end(`got ${body}`));
  });
  echo = createServer((socket) => socket.pipe(socket));
  for (const server of [web, echo]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const policy: AddressPolicy = {
    mappedScheme: () => null,
    resolve: async (host, port) => {
      if (host === 'inside.test') throw new PrerenderError('ADDRESS_REFUSED', { host, address: '10.0.0.1' });
      return { addresses: [{ address: '127.0.0.1', family: 4 }], port: port === 80 ? portOf(web) : port };
    },
  };
  proxy = await startEgressProxy(policy, () => undefined);
});
afterEach(async () => {
  await proxy.close();
  for (const server of [web, echo]) await new Promise((resolve) => server.close(resolve));
});

const ask = (path: string, method = 'GET', body?: string): Promise<{ status: number; text: string; answer: string }> =>
  new Promise((resolve, reject) => {
    const url = new URL(proxy.url);
    const headers = { Host: 'shop.test', 'X-Case': 'kept', 'Proxy-Connection': 'keep-alive' };
    const outgoing = request({ host: url.hostname, port: url.port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, answer: String(response.headers['x-answer']) }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });

const tunnel = (authority: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const url = new URL(proxy.url);
    const socket = connect(Number(url.port), url.hostname, () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\r\n\r\n')) socket.write('ping');
      if (text.endsWith('ping')) socket.end();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });

describe('the way out of the browser', () => {
  it('forwards a request byte for byte in its target, with its headers and body', async () => {
    const answer = await ask('http://shop.test/a%2Fb?x=%20+;&y=%FF', 'POST', 'hello');
    expect(answer).toEqual({ status: 207, text: 'got hello', answer: 'Yes' });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/a%2Fb?x=%20+;&y=%FF' });
    expect(seen[0]?.raw).toContain('X-Case');
    expect(seen[0]?.raw).not.toContain('Proxy-Connection');
  });

  it('a bare host is asked for its root', async () => {
    await ask('http://shop.test');
    expect(seen[0]?.url).toBe('/');
  });

  it('tunnels to a checked address', async () => {
    expect(await tunnel(`shop.test:${portOf(echo)}`)).toBe('HTTP/1.1 200 Connection established\r\n\r\nping');
  });

  it('SEC-03: drops what the policy refuses, in both forms, without a connection', async () => {
    await expect(ask('http://inside.test/')).rejects.toThrow('socket hang up');
    expect(await tunnel('inside.test:443')).toBe('');
    expect(seen).toEqual([]);
  });

  it('drops what is no request of a browser, and closes while tunnels are open', async () => {
    await expect(ask('/render_queue/claim')).rejects.toThrow('socket hang up');
    expect(await tunnel('nonsense')).toBe('');
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`CONNECT shop.test:${portOf(echo)} HTTP/1.1\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await proxy.close();
    await closed;
    // afterEach closes it a second time.
    await expect(proxy.close()).resolves.toBeUndefined();
  });
});
