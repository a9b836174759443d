import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findFreePorts, isPortFree } from '../../src/cli/free-ports.ts';
import { basicAuth } from '../../src/cli/harper-instance.ts';
import { packageRoot } from '../../src/cli/host-app.ts';
import { requireBuiltPackage } from './harness/package-copy.ts';
import { waitFor } from './harness/wait-for.ts';

/** The object of `--json`. */
interface Addresses {
  url: string;
  operations: string;
  health: string;
  admin: string;
  pid: number;
  user: string;
  password: string;
  worker: { user: string; password: string; pid: number | null };
  shop: { origin: string; control: string; publicOrigin: string; pid: number } | null;
}

interface Started {
  child: ChildProcess;
  addresses: Addresses;
  output: () => string;
}

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

function command(...flags: string[]): ChildProcess {
  return spawn(process.execPath, [join(packageRoot(), 'dist', 'cli', 'start.js'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

async function runToEnd(...flags: string[]): Promise<{ code: number | null; output: string }> {
  const child = command(...flags);
  const output = outputOf(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

describe('the start command', () => {
  const children: ChildProcess[] = [];
  let dir: string;
  let port: number;

  beforeAll(async () => {
    requireBuiltPackage();
    dir = mkdtempSync(join(tmpdir(), 'start-'));
    [port = 0] = await findFreePorts(1, ['127.0.0.1']);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

  const start = async (...flags: string[]): Promise<Started> => {
    const data = flags.includes('--data') ? [] : ['--data', join(dir, 'data')];
    const child = command(...data, '--json', ...flags);
    children.push(child);
    const output = outputOf(child);
    await waitFor(() => output().includes('Serving.') || child.exitCode !== null, {
      what: 'the command serves',
      limitMs: 100_000,
    });
    expect(output()).toContain('Serving.');
    return { child, addresses: JSON.parse(output().split('\n')[0] ?? '') as Addresses, output };
  };
  const pids = ({ child, addresses }: Started) =>
    [child.pid, addresses.pid, addresses.worker.pid, addresses.shop?.pid].filter((pid) => typeof pid === 'number');
  const expectAllGone = async (started: Started) => {
    await waitFor(() => !pids(started).some(isAlive), {
      what: 'everything that was started has ended',
      limitMs: 20_000,
    });
    expect(await isPortFree(port, '127.0.0.1')).toBe(true);
  };
  const targetOf = async ({ addresses }: Started, url: string) => {
    const response = await fetch(addresses.operations, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: basicAuth(addresses) },
      body: JSON.stringify({
        operation: 'search_by_id',
        database: 'render_service',
        table: 'Target',
        ids: [url],
        get_attributes: ['*'],
      }),
    });
    const rows = (await response.json()) as { url: string }[];
    return rows[0];
  };

  it('ends with one line and exit code 2 when it is called wrongly', async () => {
    const { code, output } = await runToEnd('--prot', '80');
    expect(code).toBe(2);
    expect(output).toBe('harper-prerender: There is no flag --prot; did you mean --port? (see --help)\n');
  });

  it('leaves nothing and starts nothing when its port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: taken } = server.address() as AddressInfo;
    const refused = await runToEnd('--data', join(dir, 'refused'), '--port', String(taken));
    server.close();
    const reason = `Port ${taken} is in use by another program; choose another with --port`;
    expect(refused).toEqual({ code: 1, output: `harper-prerender: ${reason}\n` });
    expect(readdirSync(join(dir, 'refused'))).toEqual([]);
  });

  it('serves the shop to a crawler, stops on SIGTERM, and goes on with the same data, also after SIGKILL', async () => {
    const first = await start('--port', String(port), '--no-renderer');
    expect(first.addresses.url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${first.addresses.url}/prerender_health`)).status).toBe(200);

    const product = (await (await fetch(`${first.addresses.shop?.control}/product/7`)).json()) as { url: string };
    const answer = await fetch(`${first.addresses.url}/p/${product.url}`, { headers: { 'user-agent': GOOGLEBOT } });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<!doctype html>');
    await waitFor(() => targetOf(first, product.url), { what: 'the Target is there' });

    const stored = join(dir, 'data', 'credentials.json');
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(stored, 'utf8'))).toMatchObject({
      user: first.addresses.user,
      password: first.addresses.password,
    });

    const other = await runToEnd('--data', join(dir, 'data'), '--no-shop', '--no-renderer');
    expect(other).toEqual({
      code: 1,
      output: expect.stringContaining(`in use by process ${first.child.pid}`) as string,
    });

    first.child.kill('SIGTERM');
    expect(await once(first.child, 'exit')).toEqual([0, null]);
    await expectAllGone(first);

    const second = await start('--no-renderer');
    expect(second.addresses).toMatchObject({ url: first.addresses.url, password: first.addresses.password });
    expect(second.addresses.shop?.origin).toBe(first.addresses.shop?.origin);
    expect(await targetOf(second, product.url)).toMatchObject({ url: product.url });
    second.child.kill('SIGKILL');
    await expectAllGone(second);

    const third = await start('--no-renderer');
    expect(await targetOf(third, product.url)).toMatchObject({ url: product.url });
    third.child.kill('SIGINT');
    expect(await once(third.child, 'exit')).toEqual([0, null]);
    await expectAllGone(third);
  });

  it('runs without a host, says what is wrong, and serves once its file is mended', async () => {
    const file = join(dir, 'host.yaml');
    writeFileSync(file, 'harper-prerender: { domainss: [own.example] }\n');
    const hostless = await start('--no-shop', '--no-renderer', '--data', join(dir, 'hostless'), '--config', file);
    const { child, addresses, output } = hostless;
    expect(output()).toContain(`Harper runs, but no host is served: \`domains\` is empty. Add your hosts to ${file}`);
    expect(output()).toMatch(/^Error: `domainss` .* Did you mean `domains`\?/m);
    expect((await fetch(addresses.health)).status).toBe(503);
    const admin = await fetch(addresses.admin, { headers: { authorization: basicAuth(addresses) } });
    expect(admin.status).toBe(200);

    writeFileSync(file, 'harper-prerender: { domains: [own.example] }\n');
    await waitFor(() => output().includes(`${file} has changed and is in force: domains.`), { what: 'it is mended' });
    expect((await fetch(addresses.health)).status).toBe(200);
    writeFileSync(file, 'harper-prerender: { domains: [own.example], pagee: {} }\n');
    await waitFor(() => output().includes('Error: `pagee`'), { what: 'the misspelt key is told' });
    expect(output()).toContain(`${file} has changed and was refused:`);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('stops what it has begun to start when it is stopped early', async () => {
    const child = command('--data', join(dir, 'early'), '--no-renderer');
    children.push(child);
    const output = outputOf(child);
    await waitFor(() => output().includes('Starting Harper'), { what: 'Harper is being started' });
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).not.toContain('Serving.');
  });

  it('runs with the config.yaml of an operator, and says so when it is not usable', async () => {
    const { code, output } = await runToEnd('--data', join(dir, 'none'), '--config', join(dir, 'absent.yaml'));
    expect(code).toBe(2);
    expect(output).toMatch(/^harper-prerender: --config .*absent\.yaml cannot be read: ENOENT.*\n$/);
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
