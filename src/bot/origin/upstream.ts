import { createHostAllowList, normalizeHost, type Scheme } from '../../url/host.ts';

/** Where a public origin is really asked. */
export interface Upstream {
  /** `scheme://host[:port]` that is connected to. */
  readonly origin: string;
  /** Whether the scheme differs from the public one, which the origin is then told in `x-forwarded-proto`. */
  readonly otherScheme: boolean;
  /** The operator names the host, in `domains` or here: it may be told the bypass token. `domains: ['*']` names none. */
  readonly trusted: boolean;
}

/** Compiles `origin.upstreams`; a host without an entry is asked by its own name. Entries that are no URL are left out. */
export function createUpstreams(
  entries: Readonly<Record<string, string>>,
  domains: readonly string[],
): (scheme: Scheme, host: string) => Upstream {
  const listed = createHostAllowList(domains);
  const origins = new Map<string, string>();
  for (const [host, address] of Object.entries(entries)) {
    if (!URL.canParse(address)) continue;
    const { origin } = new URL(address);
    // A key without a port stands for the default port of either scheme.
    for (const scheme of ['https', 'http'] as const) {
      const normalized = normalizeHost(host, scheme);
      if (normalized !== undefined) origins.set(normalized, origin);
    }
  }
  return (scheme, host) => {
    const origin = origins.get(host);
    if (origin === undefined) {
      return { origin: `${scheme}://${host}`, otherScheme: false, trusted: listed.names(host) };
    }
    return { origin, otherScheme: !origin.startsWith(`${scheme}:`), trusted: true };
  };
}
