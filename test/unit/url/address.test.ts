import { describe, expect, it } from 'vitest';
import { isPublicAddress, literalAddress } from '../../../src/url/address.ts';

describe('isPublicAddress', () => {
  it.each([
    ...['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '169.253.0.1'],
    ...['2606:4700:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8'],
    ...['2002:808:808::1', '2001:0:808:808:0:0:f7f7:f7f7'],
  ])('%s is public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each([
    [
      'loopback',
      ['127.0.0.1', '127.255.255.254', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '::1', '0:0:0:0:0:0:0:1'],
    ],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '0xa.0.0.1', '167772161']],
    ['link-local and metadata', ['169.254.169.254', '0xa9fea9fe', '2852039166', 'fe80::1', 'fe80::1%eth0', 'febf::1']],
    ['this network', ['0.0.0.0', '0.1.2.3', '0', '::']],
    ['shared by carriers', ['100.64.0.1', '100.127.255.255']],
    ['unique or site local', ['fc00::1', 'fd12:3456::1', 'fec0::1']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
    ['reserved', ['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1']],
    ['not given out', ['4000::1', '100::1', '5f00::1', '64:ff9b:1::8.8.8.8', '2001:2::1', '3fff::1']],
    ['mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:169.254.169.254']],
    ['compatible', ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::8.8.8.8']],
    ['translated', ['::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1']],
    ['6to4', ['2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::1']],
    ['Teredo', ['2001:0:a00:1::f7f7:f7f7', '2001:0:808:808::80ff:fffe']],
    [
      'no address',
      ['', ' ', 'localhost', 'shop.test', '1.2.3.4.5', '256.1.1.1', '8.8.8.8 ', '[::1]', '8.8.8.8/32', ':::'],
    ],
    ['zoned', ['2606:4700:4700::1111%eth0']],
  ] as const)('SEC-03: %s is not public', (_kind, ips) => {
    for (const ip of ips) expect(isPublicAddress(ip), ip).toBe(false);
  });
});

describe('literalAddress', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1.', '127.0.0.1'],
    ['127%2e0%2e0%2e1', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['[::ffff:7f00:1]', '::ffff:7f00:1'],
    ['[::FFFF:127.0.0.1]', '::ffff:7f00:1'],
    ['::1', '::1'],
  ])('SEC-03: %s spells %s', (hostname, expected) => {
    expect(literalAddress(hostname)).toBe(expected);
  });

  it.each([
    ...['shop.test', 'localhost', '', '1.2.3.4.5', '999.1.1.1', '[::zz]', '[shop.test]', 'a/127.0.0.1', '@127.0.0.1'],
    ...['127.0.0.1.shop.test', '127.0.0.1?', 'fe80::1%eth0'],
  ])('%j spells no address', (hostname) => {
    expect(literalAddress(hostname)).toBeUndefined();
  });

  it('SEC-03: every spelling of a private address is refused', () => {
    for (const host of ['2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '169.254.169.254', '[::]', '0']) {
      expect(isPublicAddress(literalAddress(host) ?? '8.8.8.8'), host).toBe(false);
    }
  });
});
