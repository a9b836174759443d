import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './cli-error.ts';
import { findFreePorts } from './free-ports.ts';
import type { HarperPorts } from './harper-environment.ts';
import { startHarperInstance } from './harper-instance.ts';
import type { HarperInstance, HarperInstanceOptions } from './harper-instance.ts';

/** What {@link startCluster} boots: every node runs the same app with the same ports, each on an address of its own. */
export interface ClusterOptions extends Omit<
  HarperInstanceOptions,
  'address' | 'dataDir' | 'ports' | 'clusterAddresses' | 'appDir' | 'onLine'
> {
  /** At least 1. */
  nodes: number;
  /** Directory of the app of node n (from 1). */
  appDirOf: (node: number) => string;
  /** Node n keeps its data in `node-<n>` of this directory. */
  dataDir: string;
  /** Replication remembers peers with their port: over restarts of a data directory the ports must stay the same. */
  ports?: HarperPorts;
  onLine?: (line: string, node: number) => void;
}

interface ClusterStatus {
  connections?: { name?: string; database_sockets?: { connected?: boolean }[] }[];
}

/** `127.0.0.1` … `127.0.0.<nodes>`: Linux answers on all of 127.0.0.0/8; elsewhere the addresses must be set up first. */
export function clusterAddresses(nodes: number): string[] {
  return Array.from({ length: nodes }, (_unused, index) => `127.0.0.${index + 1}`);
}

/** Four ports that are free on every address of the cluster. Throws CliError when there are none. */
export async function chooseClusterPorts(nodes: number): Promise<HarperPorts> {
  const [http = 0, operations = 0, mqtt = 0, replication = 0] = await findFreePorts(4, clusterAddresses(nodes));
  return { http, operations, mqtt, replication };
}

/** Boots all nodes at once and waits until each is connected to every other. On failure none is left running. */
export async function startCluster(options: ClusterOptions): Promise<HarperInstance[]> {
  const { nodes, appDirOf, dataDir, onLine, ...shared } = options;
  const addresses = clusterAddresses(nodes);
  const ports = options.ports ?? (await chooseClusterPorts(nodes));
  // All nodes share one super user, since users are replicated.
  const password = options.password ?? randomBytes(18).toString('base64url');
  const boots = await Promise.allSettled(
    addresses.map((address, index) =>
      startHarperInstance({
        ...shared,
        address,
        ports,
        password,
        appDir: appDirOf(index + 1),
        dataDir: join(dataDir, `node-${index + 1}`),
        clusterAddresses: addresses,
        onLine: onLine && ((line) => onLine(line, index + 1)),
      }),
    ),
  );
  const instances = boots.flatMap((boot) => (boot.status === 'fulfilled' ? [boot.value] : []));
  try {
    const failed = boots.find((boot) => boot.status === 'rejected');
    if (failed) throw failed.reason;
    await waitUntilConnected(instances, options.readyLimitMs ?? 120_000);
  } catch (error) {
    await Promise.all(instances.map((instance) => instance.kill()));
    throw error;
  }
  return instances;
}

/** Waits until each instance reports a connection to every other. Throws CliError after `limitMs`, naming who lacks whom. */
export async function waitUntilConnected(instances: readonly HarperInstance[], limitMs: number): Promise<void> {
  const end = Date.now() + limitMs;
  for (;;) {
    const missing = (await Promise.all(instances.map((one) => missingPeers(one, instances)))).flat();
    if (missing.length === 0) return;
    if (Date.now() > end) throw new CliError(`The cluster is not connected after ${limitMs} ms: ${missing.join('; ')}`);
    await delay(250);
  }
}

async function missingPeers(instance: HarperInstance, all: readonly HarperInstance[]): Promise<string[]> {
  const peers = all.map((one) => one.address).filter((address) => address !== instance.address);
  if (peers.length === 0) return [];
  let status: ClusterStatus;
  try {
    status = await instance.operation<ClusterStatus>({ operation: 'cluster_status' });
  } catch (error) {
    return [`${instance.address} does not tell (${error instanceof Error ? error.message : String(error)})`];
  }
  const connected = new Set(
    (status.connections ?? [])
      .filter(({ database_sockets: sockets = [] }) => sockets.length > 0 && sockets.every((one) => one.connected))
      .map(({ name }) => name),
  );
  return peers.filter((peer) => !connected.has(peer)).map((peer) => `${instance.address} lacks ${peer}`);
}
