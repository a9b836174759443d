import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface SeenRequest {
  method: string;
  host: string;
  url: string;
  headers: IncomingHttpHeaders;
}

type Answer = string | ((response: ServerResponse, request: SeenRequest) => void);

export interface TestOrigin {
  port: number;
  seen: SeenRequest[];
  /** Sets the answer of a path (query not counted); a text is answered as HTML. */
  on(path: string, answer: Answer): void;
  /** Takes web sockets; without it they are closed. */
  onUpgrade(take: (key: string, socket: Duplex) => void): void;
  close(): Promise<void>;
}

/** A tiny origin of all hosts that are mapped to it. */
export async function startTestOrigin(): Promise<TestOrigin> {
  const answers = new Map<string, Answer>();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const entry = {
      method: request.method ?? '',
      host: request.headers.host ?? '',
      url: request.url ?? '',
      headers: request.headers,
    };
    seen.push(entry);
    request.resume();
    const answer = answers.get(entry.url.split('?')[0] ?? '');
    if (answer === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
    else if (typeof answer === 'string') response.setHeader('content-type', 'text/html; charset=utf-8').end(answer);
    else answer(response, entry);
  });
  let upgrade = (_key: string, socket: Duplex): void => void socket.destroy();
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    upgrade(request.headers['sec-websocket-key'] ?? '', socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    on: (path, answer) => void answers.set(path, answer),
    onUpgrade: (take) => void (upgrade = take),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}
