import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address, in any spelling, is one of the public internet. An address that carries an IPv4 address within it (mapped,
 * NAT64, 6to4, Teredo) is judged by that one. Text that is no address, or has a zone, is not public.
 */
export function isPublicAddress(ip: string): boolean {
  // Spelt anew first: ipaddr.js reads the deprecated `::8.8.8.8` as if it were mapped.
  const spelt = literalAddress(ip);
  if (spelt === undefined) return false;
  const address = ipaddr.parse(spelt);
  return address instanceof ipaddr.IPv6 ? isPublicV6(address) : isPublicV4(address);
}

/**
 * The address that a host name spells, in its usual form and without brackets, when the URL parser reads it as one (`2130706433`,
 * `0x7f.1`, `[::ffff:7f00:1]`; a bare IPv6 address too); undefined for a name that must be looked up.
 */
export function literalAddress(hostname: string): string | undefined {
  if (/[\s/\\?#@]/.test(hostname)) return undefined;
  const bare = isIP(hostname) === 6;
  let parsed: string;
  try {
    parsed = new URL(bare ? `http://[${hostname}]/` : `http://${hostname}/`).hostname;
  } catch {
    return undefined;
  }
  const address = parsed.startsWith('[') ? parsed.slice(1, -1) : parsed.replace(/\.$/, '');
  return isIP(address) === 0 ? undefined : address;
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast';
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  const embedded = embeddedV4(address);
  if (embedded.length > 0) return embedded.every(isPublicV4);
  // Only 2000::/3 is given out; the deprecated ::a.b.c.d and the local NAT64 prefix lie outside it.
  const global = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return global && address.range() === 'unicast';
}

function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const parts = address.parts;
  const v4 = (at: number, mask = 0): ipaddr.IPv4 => {
    const [high, low] = [(parts[at] ?? 0) ^ mask, (parts[at + 1] ?? 0) ^ mask];
    return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  };
  if (address.match(ipaddr.IPv6.parse('::ffff:0:0'), 96)) return [v4(6)];
  if (address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return [v4(6)];
  if (address.match(ipaddr.IPv6.parse('2002::'), 16)) return [v4(1)];
  // Teredo: the address of the server, and that of the client with its bits inverted.
  if (address.match(ipaddr.IPv6.parse('2001::'), 32)) return [v4(2), v4(6, 0xffff)];
  return [];
}
