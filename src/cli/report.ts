import type { StoredCredentials } from './data-directory.ts';
import { SHOP_PUBLIC_ORIGIN } from './demo-config.ts';
import type { HarperInstance } from './harper-instance.ts';
import type { Kept } from './keep-running.ts';
import type { ManagedProcess } from './processes.ts';
import type { ShopProcess } from './shop-process.ts';

// Paths that answer a GET: that of the whole admin API does not.
const HEALTH_PATH = '/prerender_health';
const ADMIN_PATH = '/prerender_admin/queue';

/** Everything that runs. */
export interface StartedParts {
  dataDir: string;
  nodes: readonly HarperInstance[];
  credentials: StoredCredentials;
  shop: Kept<ShopProcess> | undefined;
  worker: Kept<ManagedProcess> | undefined;
}

/** Tells the user what happens. */
export interface Reporter {
  /** What is being waited for; not shown with `--json`. */
  progress(line: string): void;
  say(line: string): void;
  warn(line: string): void;
  /** Addresses, users and passwords: a table, or with `--json` one object on the first line. */
  started(parts: StartedParts): void;
  /** How to ask for that page by hand. */
  tryIt(address: string): void;
}

/** A reporter that writes with `write` (default: standard output). With `json`, what is said before the object follows it. */
export function createReporter(
  json: boolean,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Reporter {
  let held: string[] | undefined = json ? [] : undefined;
  const say = (line: string): void => {
    if (held) held.push(line);
    else write(`${line}\n`);
  };
  return {
    say,
    progress: (line) => {
      if (!json) say(line);
    },
    warn: (line) => say(`Warning: ${line}`),
    started(parts) {
      if (!json) return table(parts).forEach(say);
      write(`${JSON.stringify(addresses(parts))}\n`);
      const lines = held ?? [];
      held = undefined;
      lines.forEach(say);
    },
    tryIt(address) {
      say('');
      say('Ask for it yourself:');
      say(`  curl -i -A 'compatible; Googlebot/2.1' -H 'x-prerender-debug: 1' '${address}'`);
    },
  };
}

/** The object of `--json`. */
export function addresses(parts: StartedParts): Record<string, unknown> {
  const { credentials, nodes, shop, worker } = parts;
  const described = nodes.map((node) => ({
    url: node.httpUrl,
    operations: node.operationsUrl,
    mqtt: node.mqttUrl,
    pid: node.pid,
    data: node.dataDir,
  }));
  return {
    ...described[0],
    health: `${described[0]?.url ?? ''}${HEALTH_PATH}`,
    admin: `${described[0]?.url ?? ''}${ADMIN_PATH}`,
    user: credentials.user,
    password: credentials.password,
    data: parts.dataDir,
    nodes: described,
    worker: { ...credentials.worker, pid: worker?.current().pid ?? null },
    shop: shop
      ? {
          origin: shop.current().origin,
          control: shop.current().control,
          publicOrigin: SHOP_PUBLIC_ORIGIN,
          pid: shop.current().pid,
        }
      : null,
  };
}

function table(parts: StartedParts): string[] {
  const { nodes, credentials, shop, worker } = parts;
  const rows: [string, string][] = [
    ...nodes.flatMap((node, index): [string, string][] => [
      [nodes.length > 1 ? `Harper ${index + 1}` : 'Harper', node.httpUrl],
      ['', `operations ${node.operationsUrl}, MQTT ${node.mqttUrl}`],
    ]),
    ['Health check', `${nodes[0]?.httpUrl ?? ''}${HEALTH_PATH}`],
    ['Admin API', `${nodes[0]?.httpUrl ?? ''}${ADMIN_PATH} (super user)`],
    ['Super user', `${credentials.user}, password ${credentials.password}`],
    ['Sample shop', shop ? `${shop.current().origin}, served as ${SHOP_PUBLIC_ORIGIN}` : 'none'],
    ['Render worker', worker ? `process ${worker.current().pid}, user ${credentials.worker.user}` : 'none'],
    ['Data', parts.dataDir],
  ];
  return ['', ...rows.map(([name, value]) => `  ${name.padEnd(15)}${value}`)];
}
