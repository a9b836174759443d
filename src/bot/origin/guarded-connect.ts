import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { PrerenderError } from '../../errors.ts';
import { literalAddress } from '../../url/address.ts';
import type { AddressPolicy } from './address-policy.ts';

/** `dns.lookup` asking for all addresses. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface GuardedConnectOptions {
  readonly policy: AddressPolicy;
  readonly lookup: LookupAll;
  /** Ms. */
  readonly connectTimeout: number;
}

/** Connectors kept, one per port: the resolver is not told the port, which the policy needs. */
const PORT_LIMIT = 64;

/**
 * A connector that checks the very addresses it connects to, when it connects: what a name resolved to earlier says nothing
 * (DNS rebinding). A name with one refused address among several is refused. Fails with ADDRESS_REFUSED before any packet is sent.
 */
export function createGuardedConnect(options: GuardedConnectOptions): buildConnector.connector {
  const connectors = new Map<number, buildConnector.connector>();
  const connectorFor = (port: number): buildConnector.connector => {
    const found = connectors.get(port);
    if (found !== undefined) return found;
    if (connectors.size >= PORT_LIMIT) connectors.clear();
    const built = buildConnector({ timeout: options.connectTimeout, lookup: guardedLookup(options, port) });
    connectors.set(port, built);
    return built;
  };
  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const hostname = target.hostname.replace(/^\[|\]$/g, '');
    // Node connects to an address without asking a resolver.
    const literal = literalAddress(hostname);
    if (literal !== undefined && !options.policy.allows(hostname, literal, port)) {
      callback(refused(hostname, literal), null);
      return;
    }
    connectorFor(port)(target, callback);
  };
}

function guardedLookup({ lookup, policy }: GuardedConnectOptions, port: number): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [], 0);
      const bad = addresses.find(({ address }) => !policy.allows(hostname, address, port));
      if (bad !== undefined) return callback(refused(hostname, bad.address), [], 0);
      const first = addresses[0];
      if (options.all === true || first === undefined) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function refused(host: string, address: string): PrerenderError {
  // The crawler is not told what names resolve to inside; the log is.
  return new PrerenderError('ADDRESS_REFUSED', { host }, { cause: new Error(`it resolves to ${address}`) });
}
