import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Ports of one instance; every node of a loopback cluster has the same ones on an address of its own. */
export interface HarperPorts {
  http: number;
  operations: number;
  mqtt: number;
  replication: number;
}

/** What the environment of an instance is made from. */
export interface EnvironmentOptions {
  /** Harper's own data. */
  rootPath: string;
  /** Every instance needs a HOME of its own: Harper remembers there where its last installation was. */
  home: string;
  /** Address to listen on, and the node's name. */
  address: string;
  ports: HarperPorts;
  user: string;
  password: string;
  threads: number;
  /** Addresses of all nodes of the cluster; none or one: a node alone. */
  clusterAddresses?: readonly string[];
  /** Added last: wins over everything here. */
  extra?: Readonly<Record<string, string>>;
}

const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'CHROME_PATH', 'NODE_EXTRA_CA_CERTS', 'LD_LIBRARY_PATH'];

/** Longest path of a Unix socket on Linux and macOS, less the terminator and some room. */
const SOCKET_PATH_LIMIT = 100;

/** The few variables of this process that a child gets: any other could be taken for a setting by Harper. */
export function inheritedEnvironment(): Record<string, string> {
  const entries = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * The environment of an instance that installs itself without a prompt and listens in plain text on the given ports.
 * Names are config paths in capitals. `AUTHENTICATION_AUTHORIZELOCAL` stays unset: any value would turn it on.
 */
export function harperEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { address, ports } = options;
  const at = (port: number) => `${address}:${port}`;
  const cluster = options.clusterAddresses ?? [];
  return {
    ...inheritedEnvironment(),
    HOME: options.home,
    FORCE_COLOR: '0',
    TC_AGREEMENT: 'yes',
    DEFAULTS_MODE: 'prod',
    ROOTPATH: options.rootPath,
    HDB_ADMIN_USERNAME: options.user,
    HDB_ADMIN_PASSWORD: options.password,
    NODE_HOSTNAME: address,
    REPLICATION_HOSTNAME: address,
    THREADS_COUNT: String(options.threads),
    LOCALSTUDIO_ENABLED: 'false',
    LOGGING_STDSTREAMS: 'true',
    HTTP_PORT: at(ports.http),
    HTTP_SECUREPORT: 'null',
    HTTP_MAXHEADERSIZE: '32768',
    OPERATIONSAPI_NETWORK_PORT: at(ports.operations),
    OPERATIONSAPI_NETWORK_SECUREPORT: 'null',
    MQTT_NETWORK_PORT: at(ports.mqtt),
    MQTT_NETWORK_SECUREPORT: 'null',
    REPLICATION_PORT: at(ports.replication),
    REPLICATION_SECUREPORT: 'null',
    ...(cluster.length > 1 ? { REPLICATION_ROUTES: JSON.stringify(cluster) } : {}),
    ...(join(options.rootPath, 'operations-server').length > SOCKET_PATH_LIMIT
      ? { OPERATIONSAPI_NETWORK_DOMAINSOCKET: 'null' }
      : {}),
    ...options.extra,
  };
}

/** The program of the installed `harperdb` package. Throws the resolver's error when it is not installed. */
export function harperProgram(): string {
  const main = createRequire(import.meta.url).resolve('harperdb');
  return join(dirname(main), 'bin', 'harperdb.js');
}
