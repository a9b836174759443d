import { statSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock, Timer } from '../harper/clock.ts';

/** A watch that was started; `close` is idempotent. */
export interface FileWatch {
  close(): void;
}

export interface FileWatchOptions {
  readonly clock: Clock;
  /** Ms that the file has to be quiet before it counts as written. */
  readonly quietMs?: number;
  /** Ms between looks at the file, for file systems that report nothing. */
  readonly pollMs?: number;
}

/**
 * Calls `onChange` whenever the file at `path` has been written or replaced. The directory is watched, since editors write
 * another file and rename it, and a mounted volume swaps a link. A file that is missing is waited for.
 */
export function watchFile(path: string, onChange: () => void, options: FileWatchOptions): FileWatch {
  const { clock, quietMs = 200, pollMs = 2_000 } = options;
  let known = fingerprint(path);
  let quiet: Timer | undefined;
  let closed = false;

  const look = (): void => {
    const now = fingerprint(path);
    if (closed || now === undefined || now === known) return;
    known = now;
    onChange();
  };
  const settle = (): void => {
    quiet?.stop();
    if (!closed) quiet = clock.after(quietMs, look);
  };
  const poll = clock.every(pollMs, () => {
    const now = fingerprint(path);
    if (now !== undefined && now !== known) settle();
  });
  const watcher = watchDirectory(dirname(path), settle);
  return {
    close() {
      closed = true;
      quiet?.stop();
      poll.stop();
      watcher?.close();
    },
  };
}

/** Without one (no such directory, no watches left) polling alone has to do. */
function watchDirectory(directory: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, onEvent);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function fingerprint(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino}/${size}/${mtimeNs}`;
  } catch {
    return undefined;
  }
}
