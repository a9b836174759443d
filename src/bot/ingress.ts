import type { Config } from '../config/schema.ts';
import { PrerenderError } from '../errors.ts';
import type { HttpRequest } from '../harper/http.ts';
import { namedDevice } from '../url/device.ts';
import {
  createHostAllowList,
  normalizeHost,
  parseForwardedHost,
  type HostAllowList,
  type Scheme,
} from '../url/host.ts';
import { createUrlLocator, type UrlLocator } from '../url/locate-url.ts';
import { compileRoutes } from '../url/routes.ts';
import type { BotTarget } from './bot-target.ts';
import { createGenerationCache } from './identity/generation-cache.ts';
import { originForm, readTarget } from './request-target.ts';

/** What a request asks the bot path for. */
export interface Ingested {
  readonly target: BotTarget;
  /** Configured device type that the request names; undefined: the user agent decides. */
  readonly namedDevice: string | undefined;
}

/** Reads requests by one configuration. */
export interface Ingress {
  /**
   * What the request asks for; undefined when it is not for the bot path.
   * @throws PrerenderError when it is and cannot be served: URL_INVALID, URL_TOO_LONG, HOST_INVALID, HOST_NOT_SERVED, NO_DOMAINS.
   */
  read(request: HttpRequest): Ingested | undefined;
}

/** Paths of the component itself, which routes can never take. */
const OWN_PATHS = ['/prerender_admin', '/render_queue', '/prerender_health'] as const;

/** Request targets seen, and the longest one remembered: some megabytes at most. */
const SEEN_TARGETS = 4_096;
const SEEN_LENGTH = 1_024;

export function createIngress(config: Config): Ingress {
  const hosts = createHostAllowList(config.domains);
  const locate = createUrlLocator(
    config.cacheKey,
    compileRoutes(config.ingress.routes, config.cacheKey.decodeReserved),
  );
  const target = rememberTargets(locate, hosts, config.ingress.maxUrlLength);
  const read = config.ingress.mode === 'prefix' ? prefixReader(config, target) : forwardedReader(config, hosts, target);
  return { read };
}

type TargetOf = (absolute: string) => BotTarget;

function rememberTargets(locate: UrlLocator, hosts: HostAllowList, maxLength: number): TargetOf {
  const seen = createGenerationCache<BotTarget>(SEEN_TARGETS);
  return (absolute) => {
    const known = seen.get(absolute);
    if (known !== undefined) return known;
    if (absolute.length > maxLength) {
      throw new PrerenderError('URL_TOO_LONG', { length: absolute.length, limit: maxLength });
    }
    const target = readTarget(absolute, locate, hosts);
    if (absolute.length <= SEEN_LENGTH) seen.set(absolute, target);
    return target;
  };
}

function prefixReader({ ingress, render }: Config, targetOf: TargetOf): Ingress['read'] {
  return (request) => {
    const path = originForm(request.url);
    if (!path.startsWith(ingress.prefix) || isOwnPath(path)) return undefined;
    const header = request.headers.get(ingress.deviceHeader) ?? undefined;
    return { target: targetOf(path.slice(ingress.prefix.length)), namedDevice: namedDevice(header, render.devices) };
  };
}

function forwardedReader({ ingress, render }: Config, hosts: HostAllowList, targetOf: TargetOf): Ingress['read'] {
  return (request) => {
    const forwarded = request.headers.get(ingress.hostHeader);
    if (!forwarded || request.url === '*') return undefined;
    const path = originForm(request.url);
    // An own path behind an ordinary proxy stays ours: only a host that is listed by name can claim it.
    if (isOwnPath(path) && (hosts.open || !isServed(forwarded, hosts))) return undefined;
    // Where `host` itself is the header, each request has it, those to Harper's own address too.
    if (ingress.hostHeader === 'host' && !isServed(forwarded, hosts)) return undefined;
    const parsed = parseForwardedHost(forwarded);
    if (!parsed.ok) throw new PrerenderError('HOST_INVALID', { host: shorten(forwarded) });
    const scheme = schemeOf(request.headers.get(ingress.protoHeader));
    const header = request.headers.get(ingress.deviceHeader) ?? undefined;
    const split = ingress.devicePath ? splitDevice(path, render.devices) : { path, device: undefined };
    return {
      target: targetOf(`${scheme}://${parsed.host}${split.path}`),
      namedDevice: namedDevice(header, render.devices) ?? split.device,
    };
  };
}

function isOwnPath(path: string): boolean {
  return OWN_PATHS.some(
    (own) => path.startsWith(own) && (path.length === own.length || '/?#'.includes(path.charAt(own.length))),
  );
}

function isServed(forwarded: string, hosts: HostAllowList): boolean {
  if (!parseForwardedHost(forwarded).ok) return false;
  return (['https', 'http'] as const).some((scheme) => hosts.allows(normalizeHost(forwarded, scheme) ?? ''));
}

/** The scheme that the first proxy saw; https when none is named. */
function schemeOf(header: string | null | undefined): Scheme {
  if (!header) return 'https';
  const first = (header.split(',', 1)[0] ?? '').trim().toLowerCase();
  if (first === 'https' || first === 'http') return first;
  throw new PrerenderError('URL_INVALID', { reason: `the forwarded scheme is ${shorten(header)}, not http or https` });
}

function splitDevice(path: string, devices: readonly string[]): { path: string; device: string | undefined } {
  const segment = /^\/([^/?#]+)/.exec(path)?.[1];
  if (segment === undefined || !devices.includes(segment)) return { path, device: undefined };
  const rest = path.slice(segment.length + 1);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, device: segment };
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
