import { lookup as dnsLookup } from 'node:dns';
import { isDeepStrictEqual } from 'node:util';
import { Agent } from 'undici';
import type { Config, ConfigSource } from '../../config/schema.ts';
import { PrerenderError } from '../../errors.ts';
import { createSystemClock, type Clock } from '../../harper/clock.ts';
import type { Scheme } from '../../url/host.ts';
import { createAddressPolicy } from './address-policy.ts';
import { Exchange, type AnswerHead } from './exchange.ts';
import { createGuardedConnect, type LookupAll } from './guarded-connect.ts';
import { isLostConnection, toOriginError } from './origin-error.ts';
import { createUpstreams, type Upstream } from './upstream.ts';

/** One request to the origin. */
export interface OriginRequest {
  readonly method: string;
  /** Of the public URL. */
  readonly scheme: Scheme;
  /** Of the public URL, normalised, with its port when it is not the scheme's. */
  readonly host: string;
  /** Path and query, byte for byte. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: Buffer;
}

/** An exchange whose headers have come. */
export interface OpenedExchange {
  readonly exchange: Exchange;
  readonly head: AnswerHead;
}

/** Asks origins: never a refused address, never following a redirect, decoding nothing. */
export interface OriginClient {
  /** Where a public origin is asked by the configuration in force. */
  upstreamOf(scheme: Scheme, host: string): Upstream;
  /**
   * Resolves when the headers are there. `onExchange` gets each exchange as it starts, to abort it.
   * @throws PrerenderError ADDRESS_REFUSED, ORIGIN_UNREACHABLE or ORIGIN_TIMEOUT.
   */
  open(request: OriginRequest, onExchange?: (exchange: Exchange) => void): Promise<OpenedExchange>;
  /** Closes all connections, those in use too. */
  close(): Promise<void>;
}

export interface OriginClientDeps {
  readonly config: ConfigSource;
  /** Default: that of the system. */
  readonly lookup?: LookupAll;
  /** Default: that of the machine. */
  readonly clock?: Clock;
}

/** A compiled `origin` configuration. */
interface Route {
  readonly options: Config['origin'];
  readonly agent: Agent;
  readonly clock: Clock;
}

const KEEP_ALIVE_MS = 4_000;

/** Builds a client that follows the live configuration: a changed `origin` group gets new connections, the old ones finish. */
export function createOriginClient(deps: OriginClientDeps): OriginClient {
  const { config, lookup = dnsLookup, clock = createSystemClock(() => undefined) } = deps;
  let route = compile(config.current().origin, lookup, clock);
  let upstreamOf = createUpstreams(config.current().origin.upstreams, config.current().domains);
  const stop = config.onChange(({ origin, domains }) => {
    upstreamOf = createUpstreams(origin.upstreams, domains);
    if (isDeepStrictEqual(origin, route.options)) return;
    const old = route.agent;
    route = compile(origin, lookup, clock);
    old.close().catch(() => undefined);
  });
  return {
    upstreamOf: (scheme, host) => upstreamOf(scheme, host),
    open: (request, onExchange) => open({ ...route, upstreamOf }, request, onExchange),
    async close() {
      stop();
      await route.agent.destroy();
    },
  };
}

function compile(options: Config['origin'], lookup: LookupAll, clock: Clock): Route {
  const policy = createAddressPolicy(options.privateAddresses);
  const agent = new Agent({
    connect: createGuardedConnect({ policy, lookup, connectTimeout: options.connectTimeout }),
    connections: options.connections,
    headersTimeout: options.headersTimeout,
    bodyTimeout: options.bodyTimeout,
    maxHeaderSize: options.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
  });
  return { options, agent, clock };
}

/** Where one request goes. */
interface Way extends Route {
  readonly upstreamOf: OriginClient['upstreamOf'];
}

async function open(
  route: Way,
  request: OriginRequest,
  onExchange: ((exchange: Exchange) => void) | undefined,
): Promise<OpenedExchange> {
  try {
    return await dispatch(route, request, onExchange);
  } catch (error) {
    const repeats = (request.method === 'GET' || request.method === 'HEAD') && isLostConnection(error);
    if (!repeats) throw toOriginError(error, request.host, route.options);
  }
  try {
    return await dispatch(route, request, onExchange);
  } catch (error) {
    throw toOriginError(error, request.host, route.options);
  }
}

async function dispatch(
  { agent, upstreamOf, options, clock }: Way,
  request: OriginRequest,
  onExchange: ((exchange: Exchange) => void) | undefined,
): Promise<OpenedExchange> {
  const exchange = new Exchange();
  onExchange?.(exchange);
  agent.dispatch(
    {
      origin: upstreamOf(request.scheme, request.host).origin,
      path: request.path,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
    },
    exchange,
  );
  // undici measures from the moment a connection is free, which may be long when the origin is slow.
  const limit = options.connectTimeout + options.headersTimeout;
  const timer = clock.after(limit, () =>
    exchange.giveUp(new PrerenderError('ORIGIN_TIMEOUT', { host: request.host, limit })),
  );
  const head = await exchange.head.finally(() => timer.stop());
  // The whole answer may have come, and broken off, in one piece.
  if (exchange.failed)
    throw new PrerenderError('ORIGIN_UNREACHABLE', { host: request.host, reason: 'its answer broke off' });
  return { exchange, head };
}
