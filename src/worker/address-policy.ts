import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { PrerenderError, describeError } from '../errors.ts';
import { findMapping, type HostMapping } from './host-mapping.ts';

const CACHE_MS = 10_000;
const CACHE_HOSTS = 2000;

/** Where a connection may go: checked addresses, all of one host. */
export interface Destination {
  addresses: readonly LookupAddress[];
  port: number;
}

/** Decides which address a page's request may connect to. */
export interface AddressPolicy {
  /** The checked destination of host and port. Throws ADDRESS_REFUSED or ORIGIN_UNREACHABLE. */
  resolve(host: string, port: number): Promise<Destination>;
  /** Scheme that the operator's mapping says to speak with the host, or null for that of the URL. */
  mappedScheme(host: string, port: number): 'http' | 'https' | null;
}

/** What the policy needs. */
export interface AddressPolicyParts {
  mappings: readonly HostMapping[];
  /** `host:port` entries; the host as asked for, or as resolved. */
  privateAddresses: readonly string[];
  isPublicAddress: (ip: string) => boolean;
  lookup: (host: string) => Promise<readonly LookupAddress[]>;
}

/**
 * Addresses are checked after DNS resolution, and the connection goes to the very address that was checked. A host
 * with one private address among several is refused. A mapping is the operator's own word: its address is not checked.
 */
export function createAddressPolicy(parts: AddressPolicyParts): AddressPolicy {
  const allowed = new Set(parts.privateAddresses.map((entry) => entry.toLowerCase()));
  const cache = new LRUCache<string, Promise<readonly LookupAddress[]>>({ max: CACHE_HOSTS, ttl: CACHE_MS });

  const lookup = (host: string): Promise<readonly LookupAddress[]> => {
    const family = isIP(host);
    if (family !== 0) return Promise.resolve([{ address: host, family }]);
    const known = cache.get(host);
    if (known) return known;
    const pending = parts.lookup(host).catch((error: unknown) => {
      cache.delete(host);
      throw new PrerenderError('ORIGIN_UNREACHABLE', { host, reason: describeError(error) }, { cause: error });
    });
    cache.set(host, pending);
    return pending;
  };

  return {
    mappedScheme: (host, port) => findMapping(parts.mappings, host, port)?.scheme ?? null,
    async resolve(rawHost, rawPort) {
      const host = rawHost.replace(/^\[|\]$/g, '').toLowerCase();
      const mapping = findMapping(parts.mappings, rawHost, rawPort);
      const port = mapping?.addressPort ?? rawPort;
      const addresses = await lookup(mapping?.address ?? host);
      if (mapping || allowed.has(hostPort(host, port))) return { addresses, port };
      for (const { address } of addresses)
        if (!parts.isPublicAddress(address) && !allowed.has(hostPort(address, port)))
          throw new PrerenderError('ADDRESS_REFUSED', { host }, { cause: new Error(`it resolves to ${address}`) });
      return { addresses, port };
    },
  };
}

function hostPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
