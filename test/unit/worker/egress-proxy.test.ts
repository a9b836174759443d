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
      response.once('error', reject);
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

  it('an answer that cannot be passed on ends that request and no more', async () => {
    const answers = [
      'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'nonsense\r\n\r\n',
      '',
    ];
    for (const answer of answers) {
      const odd = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(answer, 'latin1'));
      });
      await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
      await expect(ask(`http://shop.test:${portOf(odd)}/`), answer).rejects.toThrow(/socket hang up|aborted/);
      await new Promise((resolve) => odd.close(resolve));
    }
    expect((await ask('http://shop.test/')).status).toBe(207);
  });

  it('an answer with an odd reason phrase or a trailer is passed on without them', async () => {
    const answers = [
      'HTTP/1.1 200 O\u0001\u007fK\r\nX-Answer: Yes\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
      'HTTP/1.1 200 OK\r\nX-Answer: Yes\r\nTrailer: X-Sum\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
    ];
    for (const answer of answers) {
      const odd = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(answer, 'latin1'));
      });
      await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
      expect(await ask(`http://shop.test:${portOf(odd)}/`)).toEqual({ status: 200, text: 'ok', answer: 'Yes' });
      await new Promise((resolve) => odd.close(resolve));
    }
  });

  it('a page that is gone before its host is resolved leaves no connection behind', async () => {
    let connections = 0;
    const target = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const pending: (() => void)[] = [];
    const slow = await startEgressProxy(
      {
        mappedScheme: () => null,
        resolve: async (_host, port) => {
          await new Promise<void>((resolve) => pending.push(resolve));
          return { addresses: [{ address: '127.0.0.1', family: 4 }], port };
        },
      },
      () => undefined,
    );
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const leave = async (text: string): Promise<void> => {
      const before = pending.length;
      const socket = connect(Number(new URL(slow.url).port), '127.0.0.1', () => socket.write(text));
      socket.on('error', () => undefined);
      await until(() => pending.length > before);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resetAndDestroy();
      await closed;
    };
    await leave(`CONNECT shop.test:${portOf(target)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await leave(`GET http://shop.test:${portOf(target)}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    // A third request shows that the proxy has seen the others go.
    await leave(`CONNECT shop.test:${portOf(target)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
    for (const resolve of pending) resolve();
    const stays = connect(Number(new URL(slow.url).port), '127.0.0.1', () =>
      stays.write(`CONNECT shop.test:${portOf(target)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    await until(() => pending.length > 3);
    pending[3]?.();
    await new Promise((resolve) => stays.once('data', resolve));
    expect(connections).toBe(1);
    stays.destroy();
    await slow.close();
    await new Promise((resolve) => target.close(resolve));
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
