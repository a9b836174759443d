import type { Clock, Timer } from '../harper/clock.ts';
import type { Locks } from '../harper/table.ts';

/** A task that one thread per node repeats. */
export interface KeeperTask {
  readonly name: string;
  /** Ms from the end of one run to the start of the next; asked each time. */
  readonly everyMs: () => number;
  run(isStopped: () => boolean): Promise<void>;
}

/** Runs the node's tasks in the one thread that holds the lock, for as long as that thread lives. */
export interface Keeper {
  start(): void;
  /** Resolves when no task runs any more. */
  stop(): Promise<void>;
  /** Whether this thread is the one. */
  isKeeper(): boolean;
}

/** What the keeper is built from. */
export interface KeeperDeps {
  readonly lock: string;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly tasks: readonly KeeperTask[];
  readonly onError: (task: string, error: unknown) => void;
}

const TRY_EVERY_MS = 1_000;

export function createKeeper({ lock, locks, clock, tasks, onError }: KeeperDeps): Keeper {
  let stopped = true;
  let holds = false;
  let waiting: Timer | undefined;
  const timers = new Map<string, Timer>();
  const running = new Set<Promise<void>>();

  const repeat = (task: KeeperTask): void => {
    if (stopped) return;
    timers.set(
      task.name,
      clock.after(task.everyMs(), () => {
        const run = task
          .run(() => stopped)
          .catch((error: unknown) => onError(task.name, error))
          .finally(() => {
            running.delete(run);
            repeat(task);
          });
        running.add(run);
      }),
    );
  };
  const tryBecome = (): void => {
    if (stopped) return;
    if (!locks.tryLock(lock)) {
      waiting = clock.after(TRY_EVERY_MS, tryBecome);
      return;
    }
    holds = true;
    tasks.forEach(repeat);
  };
  return {
    start: () => {
      if (!stopped) return;
      stopped = false;
      tryBecome();
    },
    stop: async () => {
      stopped = true;
      waiting?.stop();
      for (const timer of timers.values()) timer.stop();
      await Promise.all(running);
      if (holds) locks.unlock(lock);
      holds = false;
    },
    isKeeper: () => holds,
  };
}
