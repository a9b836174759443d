import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Host and process are part of the name, so that a later worker can tell which folders nobody uses any more. */
function prefix(): string {
  return `harper-prerender-profile-${hostname().replace(/[^\w.]/g, '_')}-`;
}

/** Makes a folder for a browser's profile, for the life of that browser. */
export function makeProfileFolder(): string {
  return mkdtempSync(join(tmpdir(), `${prefix()}${process.pid}-`));
}

/** Removes a profile folder; what cannot be removed is left to the next sweep. */
export function removeProfileFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2, retryDelay: 50 });
  } catch {
    // A process of the browser may still be writing.
  }
}

/** Removes the folders that killed workers of this host and user left behind. */
export function sweepProfileFolders(): void {
  const start = prefix();
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(start) ? /^(\d+)-/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) removeProfileFolder(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
