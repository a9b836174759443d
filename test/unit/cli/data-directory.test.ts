import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  choosePorts,
  loadCredentials,
  lockDataDirectory,
  missingNodesWarning,
  openDataDirectory,
} from '../../../src/cli/data-directory.ts';
import type { PortsOptions } from '../../../src/cli/data-directory.ts';

let temporary: string;
let dir: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'data-'));
  dir = openDataDirectory(join(temporary, 'new', 'data'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

describe('the data directory', () => {
  it('is for its owner alone', () => {
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('that is a file is refused', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => openDataDirectory(join(dir, 'file'))).toThrow(/data directory .*file cannot be used: EEXIST/);
  });

  it('is given back by the start that used it, and taken over from one that has died', () => {
    const unlock = lockDataDirectory(dir);
    expect(readFileSync(join(dir, 'start.pid'), 'utf8')).toBe(`${process.pid}\n`);
    unlock();
    expect(() => statSync(join(dir, 'start.pid'))).toThrow(/ENOENT/);
    // No process has an id this large.
    writeFileSync(join(dir, 'start.pid'), '999999999\n');
    expect(() => lockDataDirectory(dir)()).not.toThrow();
  });

  it('warns when nodes of its cluster are left out', () => {
    for (const node of ['node-1', 'node-2', 'node-3']) mkdirSync(join(dir, node));
    expect(missingNodesWarning(dir, 3)).toBeUndefined();
    expect(missingNodesWarning(dir, 4)).toBeUndefined();
    expect(missingNodesWarning(dir, 1)).toMatch(/cluster of 3 nodes: with --nodes 1/);
  });
});

describe('credentials', () => {
  it('are made once, readable by the owner alone, and stay the same', () => {
    const first = loadCredentials(dir);
    expect(first.password).toMatch(/^[\w-]{24}$/);
    expect(first.worker.password).not.toBe(first.password);
    expect(statSync(join(dir, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(loadCredentials(dir)).toEqual(first);
  });

  it.each(['{"user": "admin"}', '{"user": "a", "password": "b"}', '[]', 'null', '{broken'])(
    'that are damaged (%s) are never replaced',
    (text) => {
      writeFileSync(join(dir, 'credentials.json'), text);
      expect(() => loadCredentials(dir)).toThrow(/credentials\.json/);
      expect(readFileSync(join(dir, 'credentials.json'), 'utf8')).toBe(text);
    },
  );
});

describe('ports', () => {
  const listening = async (): Promise<{ port: number; close: () => void }> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  };
  const choose = (options: Partial<PortsOptions> = {}) =>
    choosePorts(dir, { addresses: ['127.0.0.1'], asked: undefined, withShop: true, ...options });

  it('stay the same over starts', async () => {
    const { port, close } = await listening();
    close();
    const first = await choose({ asked: port });
    expect(first.ports.http).toBe(port);
    expect(new Set([...Object.values({ ...first.ports }), first.shop]).size).toBe(5);
    expect(await choose()).toEqual({ ports: first.ports, shop: first.shop, warnings: [] });
  });

  it('of the shop stay the same over a start without it', async () => {
    const { shop } = await choose();
    await choose({ withShop: false });
    expect((await choose()).shop).toBe(shop);
  });

  it('of the shop that are taken now are replaced with a warning, where the shop is wanted', async () => {
    const { port, close } = await listening();
    writeFileSync(join(dir, 'ports.json'), JSON.stringify({ shop: port }));
    expect((await choose({ withShop: false })).warnings).toEqual([]);
    const { shop, warnings } = await choose();
    close();
    expect(shop).not.toBe(port);
    expect(warnings).toEqual([`The sample shop's last port, ${port}, is in use; it is on port ${shop} instead`]);
  });

  it('are never given out twice', async () => {
    const first = await choose();
    const { ports } = await choose({ asked: first.ports.mqtt });
    expect(ports.http).toBe(first.ports.mqtt);
    expect(ports.mqtt).not.toBe(ports.http);
  });

  it('asked for and taken are refused', async () => {
    const { port, close } = await listening();
    await expect(choose({ asked: port })).rejects.toThrow(`Port ${port} is in use by another program`);
    close();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('of the last start that are taken now are replaced with a warning', async () => {
    const { port, close } = await listening();
    writeFileSync(join(dir, 'ports.json'), JSON.stringify({ http: port, operations: port }));
    const { ports, warnings } = await choose();
    close();
    expect(warnings).toEqual([
      expect.stringContaining(`Port ${port} is in use by another program; HTTP is on port ${ports.http}`),
    ]);
    expect([ports.http, ports.operations]).not.toContain(port);
  });

  it('for replication are never changed under a cluster', async () => {
    const { port, close } = await listening();
    writeFileSync(join(dir, 'ports.json'), JSON.stringify({ replication: port }));
    await expect(choose({ addresses: ['127.0.0.1', '127.0.0.2'] })).rejects.toThrow(`replication port ${port}`);
    close();
  });
});
