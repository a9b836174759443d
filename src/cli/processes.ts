import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** How a process ended: `code` of a normal exit, `signal` when one ended it. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What {@link startNodeProcess} needs to know. */
export interface NodeProcessOptions {
  /** For messages: `harper`, `shop`, … */
  name: string;
  /** Script and its arguments. */
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Flags of Node itself, before the script. */
  nodeFlags?: readonly string[];
  /** Called with every complete line of output, colours removed. */
  onLine?: (line: string) => void;
}

/** A child process with its output, in a process group of its own. It never outlives this process, however that ends. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  /** Fulfilled once, when the process has ended; never rejected. */
  readonly exited: Promise<ProcessExit>;
  /** How it ended; undefined while it runs. */
  exit(): ProcessExit | undefined;
  /** Its output, stdout and stderr together, colours removed; the oldest part is dropped beyond {@link LOG_LIMIT}. */
  log(): string;
  /** SIGTERM, after `graceMs` SIGKILL to the whole group; fulfilled when it has ended. Repeated calls are harmless. */
  stop(graceMs?: number): Promise<ProcessExit>;
  /** SIGKILL to the whole group, as a crash would be; fulfilled when it has ended. */
  kill(): Promise<ProcessExit>;
}

/** Characters of output that are kept. */
export const LOG_LIMIT = 8_000_000;

const DEFAULT_GRACE_MS = 15_000;

/**
 * Loaded into every child: file descriptor 3 is a pipe from this process that ends with it, even by SIGKILL. The child
 * then stops itself, and its group is killed when it does not do so in time.
 */
const EXIT_WITH_PARENT = `
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const parent = new Socket({ fd: 3, readable: true, writable: false });
  parent.on('error', () => {});
  parent.on('close', () => {
    setTimeout(() => process.kill(-process.pid, 'SIGKILL'), 10000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  parent.resume();
  parent.unref();
}
`;

/** Starts a Node program. Throws nothing: a program that cannot be started shows as an exit with its reason in the log. */
export function startNodeProcess(options: NodeProcessOptions): ManagedProcess {
  const guard = `data:text/javascript,${encodeURIComponent(EXIT_WITH_PARENT)}`;
  const child = spawn(process.execPath, [...(options.nodeFlags ?? []), '--import', guard, ...options.args], {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output = collectOutput(child, options.onLine);
  let exit: ProcessExit | undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => resolve((exit ??= { code, signal }));
    child.once('close', end);
    child.once('error', (error) => {
      output.append(`${options.name} could not be run: ${error.message}\n`);
      if (child.pid === undefined) end(1, null);
    });
  });
  const pid = child.pid ?? 0;
  const kill = (): Promise<ProcessExit> => {
    signalGroup(pid, 'SIGKILL');
    return exited;
  };
  return {
    name: options.name,
    pid,
    exited,
    exit: () => exit,
    log: output.text,
    kill,
    async stop(graceMs = DEFAULT_GRACE_MS) {
      if (exit) return exit;
      child.kill('SIGTERM');
      const timer = new AbortController();
      const late = delay(graceMs, 'late' as const, { signal: timer.signal }).catch(() => 'stopped' as const);
      const first = await Promise.race([exited, late]);
      timer.abort();
      // What the program itself left behind in its group goes too.
      signalGroup(pid, 'SIGKILL');
      return typeof first === 'string' ? exited : first;
    },
  };
}

function collectOutput(child: ChildProcess, onLine?: (line: string) => void) {
  let text = '';
  const append = (chunk: string) => {
    text += chunk;
    if (text.length > LOG_LIMIT) text = text.slice(text.indexOf('\n', LOG_LIMIT / 2) + 1);
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const plain = stripVTControlCharacters(line);
        append(`${plain}\n`);
        onLine?.(plain);
      }
    });
    stream.on('end', () => {
      if (rest) append(`${stripVTControlCharacters(rest)}\n`);
    });
  }
  return { append, text: () => text };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
