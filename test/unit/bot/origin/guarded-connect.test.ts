import { afterEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../../../src/bot/origin/address-policy.ts';
import type { LookupAll } from '../../../../src/bot/origin/guarded-connect.ts';
import { startRig, type Rig } from '../rig.ts';

let rig: Rig | undefined;
afterEach(() => rig?.stop());

const answering =
  (...addresses: string[]): LookupAll =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe('the address policy', () => {
  it('allows public addresses, and others only as listed with their port', () => {
    const policy = createAddressPolicy(['10.0.0.5:8080', '[::1]:81', 'Intern.test:82']);
    expect(policy.allows('shop.test', '93.184.216.34', 443)).toBe(true);
    expect(policy.allows('shop.test', '10.0.0.5', 8080)).toBe(true);
    expect(policy.allows('shop.test', '10.0.0.5', 8081)).toBe(false);
    expect(policy.allows('shop.test', '::1', 81)).toBe(true);
    expect(policy.allows('intern.test', '10.9.9.9', 82)).toBe(true);
    expect(policy.allows('intern.test', '10.9.9.9', 80)).toBe(false);
    expect(policy.allows('shop.test', '::ffff:10.0.0.6', 8080)).toBe(false);
  });
});

describe('SEC-03: the connection itself', () => {
  it('is refused when a name resolves to a private address, or to one among others', async () => {
    rig = await startRig({ lookup: answering('93.184.216.34', '169.254.169.254'), options: { domains: ['*'] } });
    const response = await rig.ask('http://metadata.google.internal/');
    const text = response.body.toString();
    expect([response.status, text]).toEqual([403, expect.stringContaining('metadata.google.internal')]);
    expect(text, 'what names resolve to inside is for the log').not.toContain('169.254');
    expect(rig.logger.lines.join('\n')).toContain('169.254.169.254');
  });

  it('is checked each time, so that a name that resolves anew to a private address is refused', async () => {
    let address = '127.0.0.1';
    const changing: LookupAll = (hostname, options, callback) => answering(address)(hostname, options, callback);
    rig = await startRig({ lookup: changing });
    const { originPort } = rig;
    rig.setOptions({
      domains: [`rebinding.test:${originPort}`],
      origin: { privateAddresses: [`127.0.0.1:${originPort}`] },
    });
    rig.answer = (_request, response) => response.writeHead(200, { connection: 'close' }).end('x');
    expect((await rig.ask(`http://rebinding.test:${originPort}/a`)).status).toBe(200);
    address = '127.0.0.2';
    expect((await rig.ask(`http://rebinding.test:${originPort}/b`)).status).toBe(403);
    expect(rig.asked.length).toBe(1);
  });

  it('is not made to a private upstream that is not listed', async () => {
    rig = await startRig();
    rig.setOptions({
      origin: { upstreams: { 'shop.test': `http://127.0.0.1:${rig.originPort}` }, privateAddresses: [] },
    });
    expect((await rig.ask('/a')).status).toBe(403);
    expect(rig.asked).toEqual([]);
  });

  it('says that a name cannot be resolved, and who refuses', async () => {
    const failing: LookupAll = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), []);
    rig = await startRig({ lookup: failing, options: { domains: ['*'] } });
    const response = await rig.ask('https://nowhere.test/');
    expect([response.status, response.body.toString()]).toEqual([
      502,
      'ORIGIN_UNREACHABLE: The origin nowhere.test cannot be reached: its name cannot be resolved\n',
    ]);
  });
});
