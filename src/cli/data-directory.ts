import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import { findFreePorts, isPortFree } from './free-ports.ts';
import type { HarperPorts } from './harper-environment.ts';
import { isRunning, readPid } from './running-process.ts';

/** A user of Harper. */
export interface Credentials {
  user: string;
  password: string;
}

/** The users of a data directory: made by its first start and the same ever after. */
export interface StoredCredentials extends Credentials {
  /** The user of the render worker, with the role `prerender_worker` alone. */
  worker: Credentials;
}

/** Makes the directory when it is missing. Returns its real path. Throws CliError when it cannot be made or is a file. */
export function openDataDirectory(path: string): string {
  try {
    mkdirSync(resolve(path), { recursive: true, mode: 0o700 });
    return realpathSync(resolve(path));
  } catch (error) {
    throw new CliError(`The data directory ${path} cannot be used: ${messageOf(error)}`, 2, { cause: error });
  }
}

/**
 * Notes this process as the one that uses the directory (`start.pid`). Throws CliError when another start does. Returns
 * how to give it back.
 */
export function lockDataDirectory(dataDir: string): () => void {
  const file = join(dataDir, 'start.pid');
  const pid = readPid(file);
  if (pid !== process.pid && isRunning(pid, ['start.js', 'harper-prerender'])) {
    throw new CliError(
      `The data directory ${dataDir} is in use by process ${pid}; stop that first, or choose another with --data`,
    );
  }
  writeFileSync(file, `${process.pid}\n`);
  return () => rmSync(file, { force: true });
}

/** Reads `credentials.json`, or makes it with random passwords, readable by its owner alone. Throws CliError when it is damaged. */
export function loadCredentials(dataDir: string): StoredCredentials {
  const file = join(dataDir, 'credentials.json');
  const stored = readJson(file);
  if (stored === undefined) {
    const fresh: StoredCredentials = {
      user: 'admin',
      password: randomPassword(),
      worker: { user: 'render_worker', password: randomPassword() },
    };
    writeFileSync(file, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
    return fresh;
  }
  if (!isCredentials(stored) || !isCredentials((stored as Partial<StoredCredentials>).worker)) {
    throw new CliError(
      `${file} must hold {"user", "password", "worker": {"user", "password"}}; without it the data beside it cannot be opened`,
    );
  }
  return stored as StoredCredentials;
}

/** A warning when the data is that of a cluster with more nodes: pages and schedules that the others own would wait. */
export function missingNodesWarning(dataDir: string, nodes: number): string | undefined {
  let known = 0;
  while (existsSync(join(dataDir, `node-${known + 1}`))) known++;
  if (known <= nodes) return undefined;
  return `${dataDir} holds a cluster of ${known} nodes: with --nodes ${nodes}, what the other nodes own waits for them`;
}

/** What {@link choosePorts} needs beside the directory. */
export interface PortsOptions {
  /** Every address to listen on. */
  addresses: readonly string[];
  /** HTTP port that the user asks for. */
  asked: number | undefined;
  /** Whether the sample shop is started: without it its port is only remembered. */
  withShop: boolean;
}

/** What {@link choosePorts} decides, with a warning where it is not what one would expect. */
export interface ChosenPorts {
  ports: HarperPorts;
  /** Port of the sample shop. */
  shop: number;
  warnings: string[];
}

/** Content of `ports.json`. */
type StoredPorts = HarperPorts & { shop: number };

const DEFAULT_HTTP_PORT = 9926;
const SHOP_ADDRESS = '127.0.0.1';

/**
 * The ports of this start, the same on every address: those of the last start (`ports.json`) where they are free. A port
 * asked for that is taken is a CliError; so is a taken replication port of a cluster, whose nodes remember it. Writes
 * nothing then.
 */
export async function choosePorts(dataDir: string, options: PortsOptions): Promise<ChosenPorts> {
  const { addresses, asked, withShop } = options;
  const file = join(dataDir, 'ports.json');
  const stored = (readJson(file) ?? {}) as Partial<StoredPorts>;
  const [spareHttp = 0, operations = 0, mqtt = 0, replication = 0, shop = 0] = await findFreePorts(5, addresses);

  const http = asked ?? stored.http ?? DEFAULT_HTTP_PORT;
  const httpIsFree = await isFree(http, addresses);
  if (!httpIsFree && asked !== undefined) {
    throw new CliError(`Port ${asked} is in use by another program; choose another with --port`);
  }
  const ports: StoredPorts = { http: httpIsFree ? http : spareHttp, operations, mqtt, replication, shop };
  for (const name of ['operations', 'mqtt', 'replication', 'shop'] as const) {
    const last = stored[name];
    if (last === undefined || Object.values(ports).includes(last)) continue;
    const keep = name === 'shop' ? !withShop || (await isFree(last, [SHOP_ADDRESS])) : await isFree(last, addresses);
    if (keep) ports[name] = last;
    else if (name === 'replication' && addresses.length > 1) {
      throw new CliError(`The replication port ${last} of this cluster is in use by another program; free it first`);
    }
  }
  writeFileSync(file, `${JSON.stringify(ports, null, 2)}\n`);
  const { shop: shopPort, ...harperPorts } = ports;
  const warnings: string[] = [];
  if (!httpIsFree) {
    warnings.push(
      `Port ${http} is in use by another program; HTTP is on port ${spareHttp} instead (--port chooses one)`,
    );
  }
  if (withShop && stored.shop !== undefined && stored.shop !== shopPort) {
    warnings.push(`The sample shop's last port, ${stored.shop}, is in use; it is on port ${shopPort} instead`);
  }
  return { ports: harperPorts, shop: shopPort, warnings };
}

async function isFree(port: number, addresses: readonly string[]): Promise<boolean> {
  for (const address of addresses) {
    if (!(await isPortFree(port, address))) return false;
  }
  return true;
}

function readJson(file: string): unknown {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${messageOf(error)}`, 1, { cause: error });
  }
}

function isCredentials(value: unknown): value is Credentials {
  if (typeof value !== 'object' || value === null) return false;
  const { user, password } = value as Partial<Credentials>;
  return typeof user === 'string' && user !== '' && typeof password === 'string' && password !== '';
}

function randomPassword(): string {
  return randomBytes(18).toString('base64url');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
