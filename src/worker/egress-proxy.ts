/**
 * The only way out of the browser: a forward proxy on loopback, inside the worker. Request interception sees what a
 * page asks for, but not every connection (web sockets, redirects inside workers, a name that resolves anew); the
 * proxy resolves, checks and connects itself, so nothing reaches an address that the policy refused.
 */
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describeError } from '../errors.ts';
import type { AddressPolicy, Destination } from './address-policy.ts';
import type { Log } from './log.ts';

/** A running proxy. */
export interface EgressProxy {
  /** `http://127.0.0.1:<port>`, for `--proxy-server`. */
  readonly url: string;
  close(): Promise<void>;
}

const HOP_BY_HOP = new Set([
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Starts the proxy on a free loopback port. A refused or failed connection is dropped: the page sees a network error. */
export async function startEgressProxy(policy: AddressPolicy, log: Log): Promise<EgressProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const sockets = new Set<Duplex>();
  const drop = (socket: Duplex, host: string, error: unknown): void => {
    log('debug', 'connection of a page refused or failed', { host, error: describeError(error) });
    socket.destroy();
  };
  const server = createServer((request, response) => {
    forward(request, response, policy, agent).catch((error: unknown) => drop(request.socket, request.url ?? '', error));
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    tunnel(request.url ?? '', client, head, policy).catch((error: unknown) => drop(client, request.url ?? '', error));
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('connection', (socket: Socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  policy: AddressPolicy,
  agent: Agent,
): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
  if (url?.protocol !== 'http:') throw new Error('not an absolute http URL');
  const destination = await policy.resolve(url.hostname, Number(url.port || 80));
  // Its 'close' has been and will not come again.
  if (response.destroyed) return;
  await new Promise<void>((resolve, reject) => {
    const upstream = httpRequest(
      {
        agent,
        host: destination.addresses[0]?.address ?? '',
        port: destination.port,
        method: request.method ?? 'GET',
        // The request target as the browser wrote it: parsing and writing it again could change bytes.
        path: (request.url ?? '').replace(/^http:\/\/[^/?#]*/i, '') || '/',
        headers: keptHeaders(request.rawHeaders),
        setHost: false,
      },
      (answer) => {
        answer.on('error', reject);
        try {
          // What the client side of Node reads, its server side may refuse to write; the reason phrase means nothing.
          response.writeHead(answer.statusCode ?? 502, keptHeaders(answer.rawHeaders));
          answer.pipe(response);
        } catch (error) {
          upstream.destroy();
          reject(new Error(describeError(error), { cause: error }));
        }
      },
    );
    upstream.on('error', reject);
    // An answer that switches protocols ends without an error.
    upstream.once('close', () => {
      if (!response.headersSent) reject(new Error('the connection ended without an answer'));
    });
    response.on('error', reject);
    response.once('close', () => {
      upstream.destroy();
      resolve();
    });
    request.on('error', reject);
    request.pipe(upstream);
  });
}

/** Raw header pairs without those of the hop, names and order as sent. */
function keptHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, raw[i + 1] ?? '');
  }
  return kept;
}

async function tunnel(authority: string, client: Duplex, head: Buffer, policy: AddressPolicy): Promise<void> {
  const match = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(authority);
  if (!match) throw new Error('not host:port');
  const destination = await policy.resolve(match[1] ?? '', Number(match[2]));
  if (client.destroyed) return;
  await new Promise<void>((resolve, reject) => {
    const upstream = connect({
      host: 'checked.invalid',
      port: destination.port,
      lookup: answerWith(destination),
      autoSelectFamily: true,
      noDelay: true,
    });
    upstream.on('error', reject);
    client.once('close', () => {
      upstream.destroy();
      resolve();
    });
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
  });
}

/** A lookup that answers the addresses that were checked, whatever DNS says by now. */
function answerWith(destination: Destination): LookupFunction {
  return (_host, options, callback) => {
    const first = destination.addresses[0];
    if (!first) callback(new Error('no address'), '', 0);
    else if (options.all) callback(null, [...destination.addresses]);
    else callback(null, first.address, first.family);
  };
}
