import type { Clock } from '../harper/clock.ts';
import { readBody } from '../harper/request-body.ts';
import type { Metrics } from '../metrics/emitter.ts';
import { isPrerendered, type BotRequest } from './bot-request.ts';
import type { CacheStatus } from './bot-target.ts';
import { ClientGone, clientSignal } from './origin/client-signal.ts';
import type { OriginClient, OriginRequest } from './origin/origin-client.ts';
import { originRequestHeaders } from './origin/request-headers.ts';
import type { FlightAnswer, FlightOptions, SingleFlight } from './origin/single-flight.ts';

export interface FetchOriginDeps {
  readonly origin: OriginClient;
  readonly flights: SingleFlight;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Statuses whose answers may be one for all who ask at the same time. */
const SHARED_STATUSES: ReadonlySet<CacheStatus> = new Set(['miss', 'stale', 'blob-missing', 'blob-timeout']);

/**
 * Asks the origin for what the crawler asked for. `reason` says why.
 * @throws PrerenderError of the origin, BODY_TOO_LARGE, BODY_INVALID; ClientGone.
 */
export async function fetchOrigin(
  deps: FetchOriginDeps,
  request: BotRequest,
  reason: CacheStatus,
): Promise<FlightAnswer> {
  const { config, http } = request;
  const client = clientSignal(http._nodeResponse);
  const asked = originRequestOf(deps.origin, request);
  const body = carriesBody(http.method) ? await readBody(http, config.ingress.maxRequestBytes) : undefined;
  if (client.gone) throw new ClientGone();
  const mayShare = http.method === 'GET' && SHARED_STATUSES.has(reason);
  const options: FlightOptions = {
    maxSharedBytes: mayShare ? config.origin.maxSharedBytes : 0,
    waitLimit: config.origin.headersTimeout,
  };
  const key = mayShare ? flightKey(asked) : '';
  const startedAt = deps.clock.now();
  const emit = (status: string): void =>
    deps.metrics.value('originFetch', deps.clock.now() - startedAt, status, reason);
  const start: Parameters<SingleFlight['fetch']>[1] = async (onExchange) => {
    try {
      const opened = await deps.origin.open(body === undefined ? asked : { ...asked, body }, onExchange);
      emit(`${Math.trunc(opened.head.status / 100)}xx`);
      return opened;
    } catch (error) {
      if (!client.gone) emit('unreachable');
      throw error;
    }
  };
  const answer = await deps.flights.fetch(key, start, client, options);
  if ('shared' in answer.body) deps.metrics.count('originShared', request.target.routeName);
  return answer;
}

function originRequestOf(origin: OriginClient, request: BotRequest): OriginRequest {
  const { http, target, config, deviceType } = request;
  const { scheme, host } = target;
  const { otherScheme, trusted } = origin.upstreamOf(scheme, host);
  const headers = originRequestHeaders(http.headers, config, {
    method: http.method,
    host,
    scheme,
    otherScheme,
    trusted,
    deviceType,
    prerender: isPrerendered(request),
  });
  return { method: http.method, scheme, host, path: target.originPath, headers };
}

function carriesBody(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** All that the origin is told, so that those who share an answer would have asked for the same. */
function flightKey({ scheme, path, headers }: OriginRequest): string {
  let key = `${scheme} ${path}`;
  for (const name in headers) key += `\n${name}: ${headers[name]}`;
  return key;
}
