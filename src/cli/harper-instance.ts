import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './cli-error.ts';
import { findFreePorts, isPortFree } from './free-ports.ts';
import { harperEnvironment, harperProgram } from './harper-environment.ts';
import type { HarperPorts } from './harper-environment.ts';
import { startNodeProcess } from './processes.ts';
import type { ManagedProcess, ProcessExit } from './processes.ts';
import type { ReadyAnswer } from './readiness.ts';
import { isRunning, readPid } from './running-process.ts';

/** What {@link startHarperInstance} boots. */
export interface HarperInstanceOptions {
  /** Directory of the app to run: a host app, or the package itself. */
  appDir: string;
  /** Directory of this instance: Harper's data in `hdb`, its HOME in `home`. Kept and reused over restarts. */
  dataDir: string;
  /** Default 127.0.0.1. */
  address?: string;
  /** Those not given are chosen free. */
  ports?: Partial<HarperPorts>;
  /** Super user, created by the first boot of the data directory: later boots must be given the same. Default `admin`. */
  user?: string;
  /** Default: random. */
  password?: string;
  /** Worker threads; default 1. */
  threads?: number;
  /** Addresses of all nodes of a cluster, this one included. */
  clusterAddresses?: readonly string[];
  /** Environment of the instance, over the settings made here. */
  env?: Readonly<Record<string, string>>;
  /** Path that answers 200 once the app serves, e.g. `/prerender_health`; without it any answer of the port will do. */
  readyPath?: string;
  /** Which answers of `readyPath` will do; default: those with status 200. */
  isReady?: (answer: ReadyAnswer) => boolean;
  /** Ms that the boot may take; default 120,000. */
  readyLimitMs?: number;
  onLine?: (line: string) => void;
  /** Gives up the boot and stops what has been started. */
  signal?: AbortSignal;
}

/** Sends a request as this user, or as nobody. */
export interface InstanceRequestInit extends RequestInit {
  /** `true`: the super user. Default: no authentication. */
  auth?: boolean | { user: string; password: string };
}

/** A running Harper. */
export interface HarperInstance {
  /** `http://address:port`, without a slash at the end; so the other two. */
  readonly httpUrl: string;
  readonly operationsUrl: string;
  readonly mqttUrl: string;
  readonly address: string;
  readonly ports: HarperPorts;
  readonly user: string;
  readonly password: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Fulfilled when the instance has ended, however that came. */
  readonly exited: Promise<ProcessExit>;
  exit(): ProcessExit | undefined;
  /** Everything it has written, colours removed. */
  log(): string;
  /** `fetch` of a path of the HTTP port; redirects are not followed. */
  request(path: string, init?: InstanceRequestInit): Promise<Response>;
  /** Runs an operation as the super user. Throws an Error with Harper's answer when its status is not 2xx. */
  operation<T = unknown>(body: Record<string, unknown>): Promise<T>;
  /** SIGTERM, then SIGKILL after `graceMs`. */
  stop(graceMs?: number): Promise<ProcessExit>;
  /** SIGKILL, as a crash would be. */
  kill(): Promise<ProcessExit>;
  /** Starts it again on the same data, addresses and credentials, after it has ended. */
  restart(changes?: Partial<HarperInstanceOptions>): Promise<HarperInstance>;
}

/** Boots a real Harper and waits until it serves. Throws CliError, with the end of the log, when it does not. */
export async function startHarperInstance(options: HarperInstanceOptions): Promise<HarperInstance> {
  const address = options.address ?? '127.0.0.1';
  const ports = await choosePorts(address, options.ports ?? {});
  const user = options.user ?? 'admin';
  const password = options.password ?? randomBytes(18).toString('base64url');
  const { rootPath, home } = prepareDirectories(resolve(options.dataDir));
  const child = startNodeProcess({
    name: `harper ${address}`,
    args: [harperProgram(), 'run', realpathSync(options.appDir)],
    cwd: home,
    env: harperEnvironment({
      rootPath,
      home,
      address,
      ports,
      user,
      password,
      threads: options.threads ?? 1,
      clusterAddresses: options.clusterAddresses,
      extra: options.env,
    }),
    onLine: options.onLine,
  });
  const instance = describeInstance({ ...options, address, ports, user, password }, child);
  try {
    await waitUntilReady(instance, options);
  } catch (error) {
    await (options.signal?.aborted ? child.stop() : child.kill());
    throw error;
  }
  return instance;
}

type ResolvedOptions = HarperInstanceOptions & { address: string; ports: HarperPorts; user: string; password: string };

function describeInstance(options: ResolvedOptions, child: ManagedProcess): HarperInstance {
  const { address, ports, user, password } = options;
  const httpUrl = `http://${address}:${ports.http}`;
  const operationsUrl = `http://${address}:${ports.operations}`;
  return {
    httpUrl,
    operationsUrl,
    mqttUrl: `mqtt://${address}:${ports.mqtt}`,
    address,
    ports,
    user,
    password,
    dataDir: resolve(options.dataDir),
    pid: child.pid,
    exited: child.exited,
    exit: child.exit,
    log: child.log,
    stop: child.stop,
    kill: child.kill,
    request(path, init = {}) {
      const { auth, ...rest } = init;
      const headers = new Headers(rest.headers);
      if (auth) headers.set('authorization', basicAuth(auth === true ? { user, password } : auth));
      return fetch(httpUrl + path, { redirect: 'manual', ...rest, headers });
    },
    operation: (body) => runOperation(operationsUrl, { user, password }, body),
    async restart(changes = {}) {
      await child.exited;
      return startHarperInstance({ ...options, ...changes });
    },
  };
}

/** The value of an `Authorization` header. */
export function basicAuth(credentials: { user: string; password: string }): string {
  return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
}

async function runOperation<T>(
  url: string,
  credentials: { user: string; password: string },
  body: Record<string, unknown>,
): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: basicAuth(credentials) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Operation ${String(body.operation)} was answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

async function choosePorts(address: string, given: Partial<HarperPorts>): Promise<HarperPorts> {
  for (const [name, port] of Object.entries(given)) {
    if (!(await isPortFree(port, address))) {
      throw new CliError(`The ${name} port ${address}:${port} is in use by another program`);
    }
  }
  const [http = 0, operations = 0, mqtt = 0, replication = 0] = await findFreePorts(4, [address]);
  return { http, operations, mqtt, replication, ...given };
}

function prepareDirectories(dataDir: string): { rootPath: string; home: string } {
  const rootPath = join(dataDir, 'hdb');
  const home = join(dataDir, 'home');
  mkdirSync(rootPath, { recursive: true });
  mkdirSync(home, { recursive: true });
  refuseRunningData(rootPath);
  return { rootPath: realpathSync(rootPath), home: realpathSync(home) };
}

/**
 * Harper notes its process id in its data. A process of that id may be a living instance, or, after a crash and a
 * restart of the machine, any other program: then the note would keep Harper from starting.
 */
function refuseRunningData(rootPath: string): void {
  const file = join(rootPath, 'hdb.pid');
  const pid = readPid(file);
  if (isRunning(pid, ['harper'])) {
    throw new CliError(
      `The data directory ${rootPath} is in use by a running Harper (process ${pid}); stop that first`,
    );
  }
  rmSync(file, { force: true });
}

async function waitUntilReady(instance: HarperInstance, options: HarperInstanceOptions): Promise<void> {
  const { readyLimitMs: limitMs = 120_000, signal } = options;
  const end = Date.now() + limitMs;
  let last = 'it has not finished to start';
  while (Date.now() < end) {
    if (signal?.aborted) throw new CliError('The start was stopped');
    const exit = instance.exit();
    if (exit) throw startError(instance, `it ended with ${exit.signal ?? `code ${exit.code}`}`);
    if (/^HarperDB .* successfully started/m.test(instance.log())) {
      const answer = await probe(instance, options);
      if (answer === undefined) return;
      last = answer;
    }
    await delay(100);
  }
  throw startError(instance, `after ${limitMs} ms ${last}`);
}

/** Undefined when ready, else what is missing. */
async function probe(instance: HarperInstance, options: HarperInstanceOptions): Promise<string | undefined> {
  const { readyPath, isReady = ({ status }) => status === 200 } = options;
  try {
    const response = await instance.request(readyPath ?? '/', { signal: AbortSignal.timeout(5_000) });
    const text = await response.text();
    if (readyPath === undefined || isReady({ status: response.status, text })) return undefined;
    return `${readyPath} answers ${response.status}: ${text.slice(0, 300)}`;
  } catch (error) {
    return `${instance.httpUrl} does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function startError(instance: HarperInstance, reason: string): CliError {
  const tail = instance.log().split('\n').filter(isTelling).slice(-40).join('\n');
  return new CliError(`Harper at ${instance.address} did not become ready: ${reason}. The end of its log:\n${tail}`);
}

/** The banner of Harper's installation is drawn with blocks. */
function isTelling(line: string): boolean {
  return /\w/.test(line);
}
