import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { PrerenderError } from '../../../src/errors.ts';
import { isPublicAddress } from '../../../src/url/address.ts';
import { createAddressPolicy } from '../../../src/worker/address-policy.ts';
import { parseHostMappings } from '../../../src/worker/host-mapping.ts';

const HOSTS: Record<string, string[]> = {
  'shop.test': ['93.184.216.34'],
  'inside.test': ['10.0.0.7'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
};
let lookups: string[] = [];
const lookup = async (host: string): Promise<LookupAddress[]> => {
  lookups.push(host);
  const found = HOSTS[host];
  if (!found) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
  return found.map((address) => ({ address, family: 4 }));
};
const policy = (privateAddresses: string[] = [], map: string[] = []) => {
  lookups = [];
  return createAddressPolicy({ mappings: parseHostMappings(map), privateAddresses, isPublicAddress, lookup });
};
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'allowed',
    (error: unknown) => (error instanceof PrerenderError ? error.code : 'other'),
  );

describe('the addresses that a page may reach', () => {
  it('SEC-03: public ones after resolution, and no private one in any form', async () => {
    expect(await policy().resolve('shop.test', 443)).toEqual({
      addresses: [{ address: '93.184.216.34', family: 4 }],
      port: 443,
    });
    for (const host of [
      'inside.test',
      'metadata.google.internal',
      '127.0.0.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:7f00:1]',
      '10.1.2.3',
      '0.0.0.0',
    ])
      expect(await codeOf(policy().resolve(host, 80)), host).toBe('ADDRESS_REFUSED');
  });

  it('SEC-03: a host with one private address among several is refused', async () => {
    expect(await codeOf(policy().resolve('mixed.test', 80))).toBe('ADDRESS_REFUSED');
  });

  it('a private address is allowed by host:port, as asked for or as resolved, and with no other port', async () => {
    for (const entry of ['inside.test:8080', '10.0.0.7:8080']) {
      expect(await codeOf(policy([entry]).resolve('inside.test', 8080)), entry).toBe('allowed');
      expect(await codeOf(policy([entry]).resolve('inside.test', 8081)), entry).toBe('ADDRESS_REFUSED');
    }
    expect(await codeOf(policy(['[::1]:80']).resolve('[::1]', 80))).toBe('allowed');
  });

  it('a mapping sends a host elsewhere, which others still may not reach', async () => {
    const mapped = policy(
      [],
      ['shop.test=127.0.0.1:8080', 'plain.test:443=http://127.0.0.1:81', 'other.test=shop.test'],
    );
    expect(await mapped.resolve('SHOP.test', 443)).toEqual({
      addresses: [{ address: '127.0.0.1', family: 4 }],
      port: 8080,
    });
    expect(await mapped.resolve('plain.test', 80)).toMatchObject({ port: 81 });
    expect(await mapped.resolve('other.test', 443)).toEqual({
      addresses: [{ address: '93.184.216.34', family: 4 }],
      port: 443,
    });
    expect(mapped.mappedScheme('plain.test', 443)).toBe('http');
    expect(mapped.mappedScheme('shop.test', 443)).toBeNull();
    expect(await codeOf(mapped.resolve('127.0.0.1', 8080))).toBe('ADDRESS_REFUSED');
  });

  it('names that do not resolve are unreachable, and are asked again the next time', async () => {
    const strict = policy();
    expect(await codeOf(strict.resolve('gone.test', 80))).toBe('ORIGIN_UNREACHABLE');
    expect(await codeOf(strict.resolve('gone.test', 80))).toBe('ORIGIN_UNREACHABLE');
    expect(lookups).toEqual(['gone.test', 'gone.test']);
  });

  it('one lookup serves requests that come together', async () => {
    const strict = policy();
    await Promise.all([strict.resolve('shop.test', 80), strict.resolve('shop.test', 443)]);
    expect(lookups).toEqual(['shop.test']);
  });
});
