import { readFileSync } from 'node:fs';

/**
 * Whether a process of that id lives and its command line contains one of `words`: an id noted in a file may have been
 * given to another program since. Without /proc every living process is taken for the one that was noted.
 */
export function isRunning(pid: number, words: readonly string[]): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user lives too.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return words.some((word) => commandLine.includes(word));
  } catch {
    return true;
  }
}

/** The process id that a file holds; NaN when there is none. */
export function readPid(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').trim() || NaN);
  } catch {
    return NaN;
  }
}
