import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

  it('stay the same over starts', async () => {
    const { port, close } = await listening();
    close();
    const first = await choosePorts(dir, ['127.0.0.1'], port);
    expect(first.ports.http).toBe(port);
    expect(new Set(Object.values(first.ports)).size).toBe(4);
    expect(await choosePorts(dir, ['127.0.0.1'], undefined)).toEqual({ ports: first.ports, warnings: [] });
  });

  it('asked for and taken are refused', async () => {
    const { port, close } = await listening();
    await expect(choosePorts(dir, ['127.0.0.1'], port)).rejects.toThrow(`Port ${port} is in use by another program`);
    close();
  });

  it('of the last start that are taken now are replaced with a warning', async () => {
    const { port, close } = await listening();
    writeFileSync(join(dir, 'ports.json'), JSON.stringify({ http: port, operations: port }));
    const { ports, warnings } = await choosePorts(dir, ['127.0.0.1'], undefined);
    close();
    expect(warnings).toEqual([
      expect.stringContaining(`Port ${port} is in use by another program; HTTP is on port ${ports.http}`),
    ]);
    expect([ports.http, ports.operations]).not.toContain(port);
  });

  it('for replication are never changed under a cluster', async () => {
    const { port, close } = await listening();
    writeFileSync(join(dir, 'ports.json'), JSON.stringify({ replication: port }));
    await expect(choosePorts(dir, ['127.0.0.1', '127.0.0.2'], undefined)).rejects.toThrow(`replication port ${port}`);
    close();
  });
});
