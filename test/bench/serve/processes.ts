import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LoadOptions, LoadResult } from './load.ts';

const run = promisify(execFile);
const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Sends load from a process of its own. @throws Error when it fails. */
export async function sendLoad(options: LoadOptions): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program('load.ts'), JSON.stringify(options)], {
    maxBuffer: 1_048_576,
  });
  return JSON.parse(stdout) as LoadResult;
}

/** Starts the origin. `stop` ends it. */
export async function startOrigin(): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', program('origin.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await firstLine(child);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The origin has no output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The origin ended before it listened');
}

/** Anonymous memory of a process in bytes (Linux; NaN elsewhere). */
export function anonymousMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return NaN;
  }
}

/** Processor time that a process has used so far, all its threads together, in microseconds (Linux; NaN elsewhere). */
export function processorTime(pid: number): number {
  try {
    // The name in the second field may hold anything, so the fields are counted from behind it.
    const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
  } catch {
    return NaN;
  }
}

/** Linux counts processor time for programs in hundredths of a second. */
const MICROSECONDS_PER_TICK = 10_000;
