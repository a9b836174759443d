import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeQueue, type FakeQueue } from './fake-queue.ts';
import { chromiumGroups } from './own-browsers.ts';
import { startTestOrigin, type TestOrigin } from './test-origin.ts';

const MAIN = fileURLToPath(new URL('../../../src/worker/main.ts', import.meta.url));

let queue: FakeQueue;
let origin: TestOrigin;
let workers: { child: ChildProcess; output: () => string; ended: Promise<number | null> }[] = [];

beforeEach(async () => {
  [queue, origin] = await Promise.all([startFakeQueue(), startTestOrigin()]);
  origin.on('/page', '<!DOCTYPE html><title>P</title><body>page');
});
afterEach(async () => {
  for (const { child, ended } of workers) {
    child.kill('SIGKILL');
    await ended;
  }
  workers = [];
  await Promise.all([queue.close(), origin.close()]);
});

const start = (flags: string[] = [], env: Record<string, string> = {}, preload: string[] = []) => {
  const child = spawn(process.execPath, ['--import', 'tsx', ...preload, MAIN, ...flags], {
    env: {
      ...process.env,
      HARPER_PRERENDER_WORKER_SERVERS: queue.url,
      HARPER_PRERENDER_WORKER_MAP: `shop.test=127.0.0.1:${origin.port}`,
      HARPER_PRERENDER_WORKER_POLL_INTERVAL: '50',
      HARPER_PRERENDER_WORKER_POLL_MAX_INTERVAL: '100',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const worker = {
    child,
    output: () => output,
    ended: new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code))),
  };
  workers.push(worker);
  return worker;
};

const until = async (what: string, condition: () => boolean, limitMs = 20_000): Promise<void> => {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not reached within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};

describe('the worker as a process', () => {
  it('JOB-01: on SIGTERM it finishes and reports what runs, claims no more and leaves no process behind', async () => {
    origin.on('/slow', (response) => {
      setTimeout(() => response.setHeader('content-type', 'text/html').end('<title>S</title>slow'), 1500);
    });
    const worker = start();
    const id = queue.add('http://shop.test/slow');
    await until('the page is asked for', () => origin.seen.length > 0);
    const groups = chromiumGroups(worker.child.pid);
    expect(groups).toHaveLength(1);
    worker.child.kill('SIGTERM');
    await until('it drains', () => worker.output().includes('draining'));
    const claims = queue.claims.length;
    queue.add('http://shop.test/page');
    expect((await queue.result(id)).metadata.outcome).toBe('rendered');
    expect(await worker.ended).toBe(0);
    expect(queue.claims.length).toBe(claims);
    await until('its browser is gone', () => !isAlive(groups[0] ?? 0));
  });

  it('a second signal ends it at once', async () => {
    origin.on('/never', () => undefined);
    const worker = start();
    queue.add('http://shop.test/never');
    await until('the page is asked for', () => origin.seen.length > 0);
    const groups = chromiumGroups(worker.child.pid);
    worker.child.kill('SIGINT');
    await until('it drains', () => worker.output().includes('draining'));
    worker.child.kill('SIGINT');
    expect(await worker.ended).toBe(1);
    await until('its browser is gone', () => !isAlive(groups[0] ?? 0));
  });

  it('an uncaught error is logged; what runs is reported, then it ends with 1 and leaves no process behind', async () => {
    origin.on('/slow', (response) => {
      setTimeout(() => response.setHeader('content-type', 'text/html').end('<title>S</title>slow'), 1000);
    });
    const thrower = "process.on('SIGUSR2', () => { throw new Error('thrown in a listener'); })";
    const worker = start([], {}, ['--import', `data:text/javascript,${encodeURIComponent(thrower)}`]);
    const id = queue.add('http://shop.test/slow');
    await until('the page is asked for', () => origin.seen.length > 0);
    const groups = chromiumGroups(worker.child.pid);
    worker.child.kill('SIGUSR2');
    expect((await queue.result(id, 20_000)).metadata.outcome).toBe('rendered');
    expect(await worker.ended).toBe(1);
    expect(worker.output()).toMatch(/error an error that nothing caught.*thrown in a listener/);
    await until('its browser is gone', () => !isAlive(groups[0] ?? 0));
  });

  it('a reader of its log that goes away does not end it', async () => {
    const worker = start(['--log-level', 'debug']);
    await until('it runs', () => worker.output().includes('the render worker runs'));
    worker.child.stderr?.destroy();
    for (const path of ['/page', '/missing', '/page?2'])
      await queue.result(queue.add(`http://shop.test${path}`), 20_000);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });

  it('its browser ends with it when it is killed', async () => {
    const worker = start();
    await queue.result(queue.add('http://shop.test/page'));
    const groups = chromiumGroups(worker.child.pid);
    expect(groups).toHaveLength(1);
    worker.child.kill('SIGKILL');
    await until('its browser is gone', () => !isAlive(groups[0] ?? 0));
  });

  it('several workers may start at once and unpack the browser into one fresh temporary directory', async () => {
    const { mkdtemp, rm, readdir } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const fresh = await mkdtemp(join(tmpdir(), 'fresh-'));
    try {
      const started = [1, 2, 3].map(() => start([], { TMPDIR: fresh, CHROME_PATH: '' }));
      for (const worker of started)
        await until('it runs', () => worker.output().includes('the render worker runs'), 60_000);
      const { metadata } = await queue.result(queue.add('http://shop.test/page'));
      expect(metadata.outcome).toBe('rendered');
      const unpacked = (await readdir(fresh)).filter((name) => name.startsWith('harper-prerender-chromium-'));
      expect(unpacked).toHaveLength(1);
      for (const { child, ended } of started) {
        child.kill('SIGTERM');
        expect(await ended).toBe(0);
      }
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  });

  it('goes on when the node is away and comes back', async () => {
    const away = await startFakeQueue();
    await away.close();
    const worker = start(['--servers', away.url, '--servers', queue.url, '--log-format', 'json']);
    const { metadata } = await queue.result(queue.add('http://shop.test/page'));
    expect(metadata.outcome).toBe('rendered');
    const lines = worker
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; message: string });
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('says what is wrong with an option and ends with 2', async () => {
    const worker = start(['--poll-intervall', '5']);
    expect(await worker.ended).toBe(2);
    expect(worker.output()).toContain('did you mean --poll-interval?');
  });

  it('says that a required selector is none and ends with 2', async () => {
    const worker = start(['--require-selectors', '/page h1', '--require-selectors', '/page h1[']);
    expect(await worker.ended).toBe(2);
    expect(worker.output()).toContain('"h1[" is no CSS selector');
    expect(queue.claims).toEqual([]);
  });

  it('prints its help', async () => {
    const worker = start(['--help']);
    expect(await worker.ended).toBe(0);
    expect(worker.output()).toContain(
      'HARPER_PRERENDER_WORKER_CONCURRENCY; in a file: concurrency; default: 2 jobs (1 to 64)',
    );
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
