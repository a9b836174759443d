import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './cli-error.ts';
import type { Credentials } from './data-directory.ts';
import type { WorkerRouting } from './demo-config.ts';
import { inheritedEnvironment } from './harper-environment.ts';
import type { HarperInstance } from './harper-instance.ts';
import { packageRoot } from './host-app.ts';
import { startNodeProcess } from './processes.ts';
import type { ManagedProcess } from './processes.ts';

/** Role of roles.yaml that may claim jobs and report results, and nothing else. */
export const WORKER_ROLE = 'prerender_worker';

/** Ms that running renders get to finish on SIGTERM: somebody waits at the terminal. */
const DRAIN_MS = 5_000;

/** What {@link startWorkerProcess} needs. */
export interface WorkerProcessOptions {
  /** Base URLs of the nodes to claim from. */
  servers: readonly string[];
  credentials: Credentials;
  routing: WorkerRouting;
  /** HOME of the worker and its browsers; it has to exist. */
  home: string;
  onLine?: (line: string) => void;
}

/** Starts a render worker. Throws CliError when the package has not been built. */
export function startWorkerProcess(options: WorkerProcessOptions): ManagedProcess {
  const main = join(packageRoot(), 'dist', 'worker', 'main.js');
  if (!existsSync(main)) throw new CliError(`The render worker is missing (${main}): run \`npm run build\``);
  const { user, password } = options.credentials;
  return startNodeProcess({
    name: 'render worker',
    args: [
      main,
      ...['--servers', options.servers.join(',')],
      ...['--user', user],
      ...['--drain-timeout', String(DRAIN_MS)],
      ...options.routing.map.flatMap((entry) => ['--map', entry]),
      ...options.routing.privateAddresses.flatMap((entry) => ['--private-addresses', entry]),
    ],
    cwd: options.home,
    // Not on the command line, where other users of the machine could read it.
    env: { ...inheritedEnvironment(), HOME: options.home, HARPER_PRERENDER_WORKER_PASSWORD: password },
    onLine: options.onLine,
  });
}

/** Makes sure that the worker's user exists with that password and the worker's role. Throws CliError when Harper refuses. */
export async function ensureWorkerUser(instance: HarperInstance, credentials: Credentials): Promise<void> {
  const user = { username: credentials.user, password: credentials.password, role: WORKER_ROLE, active: true };
  let last: unknown;
  // Roles are made while Harper boots and may come a moment after it answers.
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      const users = await instance.operation<{ username: string }[]>({ operation: 'list_users' });
      const exists = users.some(({ username }) => username === user.username);
      await instance.operation({ operation: exists ? 'alter_user' : 'add_user', ...user });
      return;
    } catch (error) {
      last = error;
      await delay(500);
    }
  }
  const reason = last instanceof Error ? last.message : String(last);
  throw new CliError(`The user of the render worker could not be made: ${reason}`, 1, { cause: last });
}
