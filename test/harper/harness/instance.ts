import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../../../src/cli/cluster.ts';
import { startHarperInstance } from '../../../src/cli/harper-instance.ts';
import type { HarperInstance } from '../../../src/cli/harper-instance.ts';
import { writeHostApp } from '../../../src/cli/host-app.ts';
import type { ComponentOptions, HostApp } from '../../../src/cli/host-app.ts';
import { requireBuiltPackage, writePackageCopy } from './package-copy.ts';

export { assertCleanLog, logProblems } from './clean-log.ts';

/** What {@link bootPrerender} boots. */
export interface BootOptions {
  /** Options of the component, as in config.yaml. */
  options?: ComponentOptions;
  /** `mounted` (default): by a host app; `direct`: the package itself is the app. */
  mode?: 'mounted' | 'direct';
  /** Worker threads of each node; default 1. */
  threads?: number;
  /** Nodes of the cluster; default 1. */
  nodes?: number;
  /** Environment of every node. */
  env?: Readonly<Record<string, string>>;
  /** Directory of the component; default: this package. */
  packageDir?: string;
  /** Path that answers 200 once the component serves; default /prerender_health. */
  readyPath?: string;
  /** Ms that the boot may take; default 100,000 a node alone, 200,000 a cluster. */
  readyLimitMs?: number;
}

/** A booted product in a temporary directory. Call `stop` in `afterAll`; should the test process die, it ends with it. */
export interface BootedPrerender {
  /** The first node. */
  readonly instance: HarperInstance;
  /** All nodes; an entry is replaced when the node is restarted. */
  readonly nodes: HarperInstance[];
  /** The app of node n (from 0), to change its options while it runs. */
  readonly apps: readonly HostApp[];
  /** Temporary directory, removed by `stop`. */
  readonly dir: string;
  /** Writes the options of every node. */
  writeOptions(options: ComponentOptions, how?: 'rename' | 'in-place'): void;
  /** Starts node n (from 0) again after its end, with data, ports and credentials kept. */
  restart(node?: number): Promise<HarperInstance>;
  /** Stops every node and removes the directory. Harmless when repeated. */
  stop(): Promise<void>;
}

/** Boots the built product on free ports. Throws when it is not built, or (with the end of the log) when it does not serve. */
export async function bootPrerender(boot: BootOptions = {}): Promise<BootedPrerender> {
  if (!boot.packageDir) requireBuiltPackage();
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'prerender-')));
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.once('exit', remove);
  try {
    const apps = writeApps(dir, boot);
    const nodes = await startNodes(dir, boot, apps);
    return describeBooted(dir, apps, nodes, () => {
      process.off('exit', remove);
      remove();
    });
  } catch (error) {
    process.off('exit', remove);
    remove();
    throw error;
  }
}

function writeApps(dir: string, boot: BootOptions): HostApp[] {
  return Array.from({ length: boot.nodes ?? 1 }, (_unused, index) => {
    const appDir = join(dir, `app-${index + 1}`);
    return boot.mode === 'direct'
      ? writePackageCopy(appDir, boot.options ?? {}, boot.packageDir)
      : writeHostApp(appDir, boot.options ?? {}, boot.packageDir);
  });
}

async function startNodes(dir: string, boot: BootOptions, apps: readonly HostApp[]): Promise<HarperInstance[]> {
  const count = apps.length;
  const shared = {
    dataDir: dir,
    threads: boot.threads,
    env: boot.env,
    readyPath: boot.readyPath ?? '/prerender_health',
    readyLimitMs: boot.readyLimitMs ?? (count > 1 ? 200_000 : 100_000),
  };
  const appDirOf = (node: number) => apps[node - 1]?.dir ?? dir;
  if (count > 1) return startCluster({ ...shared, nodes: count, appDirOf });
  return [await startHarperInstance({ ...shared, dataDir: join(dir, 'node-1'), appDir: appDirOf(1) })];
}

function describeBooted(
  dir: string,
  apps: readonly HostApp[],
  nodes: HarperInstance[],
  remove: () => void,
): BootedPrerender {
  const nodeAt = (index: number): HarperInstance => {
    const node = nodes[index];
    if (!node) throw new Error(`There is no node ${index}: the cluster has ${nodes.length}`);
    return node;
  };
  return {
    get instance() {
      return nodeAt(0);
    },
    nodes,
    apps,
    dir,
    writeOptions(options, how) {
      for (const app of apps) app.writeOptions(options, how);
    },
    async restart(index = 0) {
      const node = await nodeAt(index).restart();
      nodes[index] = node;
      return node;
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      remove();
    },
  };
}
