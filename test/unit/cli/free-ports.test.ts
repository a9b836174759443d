import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { findFreePorts, isPortFree } from '../../../src/cli/free-ports.ts';

it('free ports are different and free on every address', async () => {
  const ports = await findFreePorts(4, ['127.0.0.1', '127.0.0.2']);
  expect(new Set(ports).size).toBe(4);
  for (const port of ports) expect(await isPortFree(port, '127.0.0.2')).toBe(true);
});

it('a port is not free while something listens, even on all addresses', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await isPortFree(port, '127.0.0.1')).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isPortFree(port, '127.0.0.1')).toBe(true);
});

it('an address that is not of this machine has no free ports', async () => {
  await expect(findFreePorts(1, ['192.0.2.1'])).rejects.toThrow(/192\.0\.2\.1; is the address one of this machine/);
}, 5_000);
