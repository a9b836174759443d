/** A forwarded host taken apart, or why it is refused. `host` is as it was sent. */
export type ForwardedHost =
  { ok: true; host: string; hostname: string; port: number | undefined } | { ok: false; reason: string };

/** The two schemes served. */
export type Scheme = 'http' | 'https';

const HOST_LIMIT = 253;
const HOST_PATTERN =
  /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?)(?::([0-9]{1,5}))?$/;

/**
 * Reads a forwarded host, which must be exactly `hostname[:port]` (an IPv6 address in brackets): no list, user name, path,
 * escape or space.
 */
export function parseForwardedHost(value: string): ForwardedHost {
  if (value === '') return { ok: false, reason: 'it is empty' };
  // The length is tested first, so that the pattern never sees a long text.
  if (value.length > HOST_LIMIT + 6) return { ok: false, reason: `it is longer than ${HOST_LIMIT} characters` };
  const match = HOST_PATTERN.exec(value);
  if (match === null) return { ok: false, reason: 'it is not hostname[:port]' };
  const [, hostname = '', portText] = match;
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return { ok: false, reason: 'its port is not 1 to 65535' };
  if (!URL.canParse(`https://${value}/`)) return { ok: false, reason: 'it is not a valid host name or address' };
  return { ok: true, host: value, hostname, port };
}

/**
 * The host as it stands in a canonical URL of that scheme: lower case (a name beyond ASCII in punycode), an address in its usual
 * spelling, no trailing dot, no default port. Undefined when it is not `hostname[:port]`.
 */
export function normalizeHost(host: string, scheme: Scheme): string | undefined {
  // Delimiters would end the host early and leave the rest unseen.
  if (/^$|[\s/\\?#@%|]|:$/.test(host)) return undefined;
  let parsed: URL;
  try {
    parsed = new URL(`${scheme}://${host}/`);
  } catch {
    return undefined;
  }
  const hostname = parsed.hostname.endsWith('.') ? parsed.hostname.slice(0, -1) : parsed.hostname;
  if (/^\.|\.$|\.\.|^$/.test(hostname)) return undefined;
  return parsed.port === '' ? hostname : `${hostname}:${parsed.port}`;
}

/** The hosts that are served. */
export interface HostAllowList {
  /** Any host is served, since `domains` says `*`. */
  readonly open: boolean;
  /** No host is served. */
  readonly empty: boolean;
  /** Entries that are not `hostname[:port]` and therefore allow nothing. */
  readonly invalid: readonly string[];
  /** Whether the host, normalised for its scheme, is served: by exact match, its port with it. */
  allows(host: string): boolean;
  /** Whether the list names the host itself: `*` names none. */
  names(host: string): boolean;
}

/** Domain that stands for any host. */
export const ANY_HOST = '*';

/**
 * Compiles `domains`. An entry without a port stands for the default port of either scheme; any other port must be listed with
 * its host. Entries are normalised as hosts of requests are; a wildcard within an entry is invalid.
 */
export function createHostAllowList(domains: readonly string[]): HostAllowList {
  const open = domains.includes(ANY_HOST);
  const invalid: string[] = [];
  const hosts = new Set<string>();
  for (const domain of domains) {
    if (domain === ANY_HOST) continue;
    const spellings = domain.includes('*') ? undefined : normalizedEntry(domain);
    if (spellings === undefined) invalid.push(domain);
    else for (const host of spellings) hosts.add(host);
  }
  return {
    open,
    empty: !open && hosts.size === 0,
    invalid,
    allows: (host) => (open ? host !== '' : hosts.has(host)),
    names: (host) => hosts.has(host),
  };
}

/** Under both schemes: `shop.test:443` is the default port of one and a port of its own under the other. */
function normalizedEntry(domain: string): string[] | undefined {
  const [overHttps, overHttp] = [normalizeHost(domain, 'https'), normalizeHost(domain, 'http')];
  return overHttps === undefined || overHttp === undefined ? undefined : [overHttps, overHttp];
}
