import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHarperInstance } from '../../src/cli/harper-instance.ts';
import { assertCleanLog, bootPrerender, logProblems } from './harness/instance.ts';
import type { BootedPrerender } from './harness/instance.ts';
import { rawRequest } from './harness/raw-http.ts';
import { writeToyComponent } from './harness/toy-component.ts';
import { waitFor } from './harness/wait-for.ts';

describe('an instance of the harness', () => {
  let booted: BootedPrerender;
  let packageDir: string;

  beforeAll(async () => {
    packageDir = writeToyComponent(mkdtempSync(join(tmpdir(), 'toy-')));
    booted = await bootPrerender({ packageDir, readyPath: '/ready', threads: 2, options: { hello: 'one' } });
  });
  afterAll(async () => {
    await booted?.stop();
    rmSync(packageDir, { recursive: true, force: true });
  });

  const options = async () => (await booted.instance.request('/options')).json() as Promise<Record<string, unknown>>;

  it('has a clean log after its boot and serves with the options of its host', async () => {
    assertCleanLog(booted.instance);
    expect(await options()).toEqual({ package: 'harper-prerender', files: '/', hello: 'one' });
  });

  it.each(['in-place', 'rename'] as const)('sees options changed by %s while it runs', async (how) => {
    booted.writeOptions({ hello: how }, how);
    const seen = await waitFor(async () => (await options()).hello === how, { what: 'the option has changed' });
    expect(seen).toBe(true);
  });

  it('tells super user and anonymous apart', async () => {
    const user = await booted.instance.operation<{ username: string }>({ operation: 'user_info' });
    expect(user.username).toBe(booted.instance.user);
    const anonymous = await fetch(booted.instance.operationsUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation: 'user_info' }),
    });
    expect(anonymous.status).toBe(401);
  });

  it('answers a request sent byte for byte', async () => {
    const answer = await rawRequest({ baseUrl: booted.instance.httpUrl, path: '/ready', version: '1.0', headers: [] });
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe('ready');
  });

  it('refuses a second start on data that is in use', async () => {
    const again = startHarperInstance({ appDir: booted.apps[0]?.dir ?? '', dataDir: booted.instance.dataDir });
    await expect(again).rejects.toThrow(/is in use by a running Harper \(process \d+\)/);
  });

  it('refuses a port on which something answers', async () => {
    const ports = { http: booted.instance.ports.http };
    const again = startHarperInstance({ appDir: booted.apps[0]?.dir ?? '', dataDir: join(booted.dir, 'other'), ports });
    await expect(again).rejects.toThrow(`http port 127.0.0.1:${ports.http} is in use`);
  });

  it('starts again on its data after SIGKILL, and after SIGTERM', async () => {
    const { instance } = booted;
    await instance.operation({ operation: 'create_table', database: 'kept', table: 'rows', primary_key: 'id' });
    await instance.operation({
      operation: 'insert',
      database: 'kept',
      table: 'rows',
      records: [{ id: 1, word: 'kept' }],
    });
    expect(await instance.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    const second = await booted.restart();
    expect((await second.stop()).signal).not.toBe('SIGKILL');
    const third = await booted.restart();
    const rows = await third.operation({
      operation: 'search_by_id',
      database: 'kept',
      table: 'rows',
      ids: [1],
      get_attributes: ['*'],
    });
    expect(rows).toEqual([expect.objectContaining({ word: 'kept' })]);
    expect(third.httpUrl).toBe(instance.httpUrl);
  });

  it('shows uncaught exceptions, rejections and error entries of its log', async () => {
    for (const path of ['/throw', '/reject', '/log-error']) await booted.instance.request(path);
    const problems = await waitFor(
      () => {
        const found = logProblems(booted.instance.log());
        return found.length >= 3 && found;
      },
      { what: 'all three are in the log' },
    );
    expect(problems.join('\n')).toMatch(/uncaughtException Error: thrown later/);
    expect(problems.join('\n')).toMatch(/no error object/);
    expect(() => assertCleanLog(booted.instance, [/something went wrong/, /thrown later/])).toThrow(
      /unexpected errors/,
    );
  });
});

describe('a package run directly as an app', () => {
  it('has its options at the root of its own config.yaml, and sees them change', async () => {
    const packageDir = writeToyComponent(mkdtempSync(join(tmpdir(), 'toy-')));
    const booted = await bootPrerender({ packageDir, mode: 'direct', readyPath: '/ready', options: { hello: 'one' } });
    const text = async () => ((await (await booted.instance.request('/options')).json()) as { text: string }).text;
    expect(await text()).toMatch(/^rest: true[^]*^hello: one$/m);
    booted.writeOptions({ hello: 'two' });
    expect(await text()).toMatch(/^rest: true[^]*^hello: two$/m);
    assertCleanLog(booted.instance);
    await booted.stop();
    rmSync(packageDir, { recursive: true, force: true });
  });
});

describe('a boot that fails', () => {
  it('says why, with the end of the log', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'no-app-'));
    const packageDir = writeToyComponent(join(dir, 'toy'));
    const boot = bootPrerender({ packageDir, env: { NODE_OPTIONS: '--no-such-flag' } });
    await expect(boot).rejects.toThrow(/did not become ready: it ended with code 9[^]*--no-such-flag/);
    rmSync(dir, { recursive: true, force: true });
  });
});

describe('the death of the starting process', () => {
  it('ends the instance, even by SIGKILL', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'orphan-'));
    const program = `
      import { startNodeProcess } from ${JSON.stringify(new URL('../../src/cli/processes.ts', import.meta.url).href)};
      const child = startNodeProcess({ name: 'child', args: ['-e', 'setInterval(() => {}, 1000)'], cwd: ${JSON.stringify(dir)}, env: {} });
      console.log(child.pid);
      setInterval(() => {}, 1000);
    `;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await waitFor(() => !isAlive(pid), { what: 'the child has ended' });
    rmSync(dir, { recursive: true, force: true });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
