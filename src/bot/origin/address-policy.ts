import { isPublicAddress, literalAddress } from '../../url/address.ts';

/** Decides which addresses may be connected to. */
export interface AddressPolicy {
  /** Whether `address`, that `hostname` (without brackets) resolved to or spells, may be asked at `port`. */
  allows(hostname: string, address: string, port: number): boolean;
}

/**
 * Public addresses may be asked; others only when `origin.privateAddresses` lists their `host:port`, by the name that was
 * resolved or by the address itself.
 */
export function createAddressPolicy(privateAddresses: readonly string[]): AddressPolicy {
  const listed = new Set(privateAddresses.map(normalizeEntry));
  return {
    allows: (hostname, address, port) =>
      isPublicAddress(address) ||
      (listed.size > 0 && (listed.has(key(hostname, port)) || listed.has(key(address, port)))),
  };
}

function normalizeEntry(entry: string): string {
  const colon = entry.lastIndexOf(':');
  return key(entry.slice(0, colon).replace(/^\[|\]$/g, ''), Number(entry.slice(colon + 1)));
}

function key(host: string, port: number): string {
  return `${literalAddress(host) ?? host.toLowerCase()} ${port}`;
}
