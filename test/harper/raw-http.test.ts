import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { formatRequest, rawRequest } from './harness/raw-http.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A server that answers these bytes, in pieces, and may keep the connection open. */
async function answering(pieces: readonly string[], keepOpen = false): Promise<{ baseUrl: string; got: () => string }> {
  let got = '';
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => {
      got = chunk.toString('latin1');
      for (const piece of pieces) socket.write(piece, 'latin1');
      if (!keepOpen) socket.end();
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got: () => got };
}

describe('the raw HTTP client', () => {
  it('sends every byte as it is given', async () => {
    const { baseUrl, got } = await answering(['HTTP/1.1 204 No Content\r\n\r\n'], true);
    const request = {
      baseUrl,
      method: 'GET',
      path: '/p/http://a b/%zz\xff?q|',
      version: '1.0',
      headers: [
        ['hOST', 'x'],
        ['X', 'a'],
        ['X', 'b'],
      ] as const,
    };
    const answer = await rawRequest(request);
    expect(answer.status).toBe(204);
    expect(got()).toBe('GET /p/http://a b/%zz\xff?q| HTTP/1.0\r\nhOST: x\r\nX: a\r\nX: b\r\n\r\n');
    expect(got()).toBe(formatRequest(request).toString('latin1'));
  });

  it('joins chunks and keeps repeated headers, also on a connection that stays open', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\n';
    const { baseUrl } = await answering([head, '3\r\nabc\r\n', '2;x=y\r\nde\r\n0\r\n', '\r\n'], true);
    const answer = await rawRequest({ baseUrl, path: '/' });
    expect(answer.body.toString()).toBe('abcde');
    expect(answer.headers.get('set-cookie')).toEqual(['a', 'b']);
    expect(answer.header('Transfer-Encoding')).toBe('chunked');
  });

  it('skips interim answers and reads no body for HEAD', async () => {
    const { baseUrl } = await answering(
      ['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'],
      true,
    );
    const answer = await rawRequest({ baseUrl, path: '/', method: 'HEAD' });
    expect([answer.status, answer.header('content-length'), answer.body.length]).toEqual([200, '10', 0]);
  });

  it('reads to the end where no length is given', async () => {
    const { baseUrl } = await answering(['HTTP/1.0 200 OK\r\n\r\nto the ', 'end']);
    expect((await rawRequest({ baseUrl, path: '/' })).body.toString()).toBe('to the end');
  });

  it.each([
    ['a short body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', /cut off: 3 of 10/],
    [
      'a missing last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
      /chunked body is cut off/,
    ],
    ['no HTTP at all', 'hello', /Not an HTTP answer: "hello"/],
  ])('fails on %s', async (_what, bytes, message) => {
    const { baseUrl } = await answering([bytes]);
    await expect(rawRequest({ baseUrl, path: '/' })).rejects.toThrow(message);
  });

  it('gives up after its limit', async () => {
    const { baseUrl } = await answering(['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'], true);
    await expect(rawRequest({ baseUrl, path: '/', limitMs: 200 })).rejects.toThrow(/No complete answer within 200 ms/);
  });
});
