import type { Clock, Timer } from '../harper/clock.ts';
import type { Locks } from '../harper/table.ts';

/** A task that one thread per node repeats. */
export interface KeeperTask {
  readonly name: string;
  /** Ms from the end of one run to the start of the next; asked each time. */
  readonly everyMs: () => number;
  /** Ms from the start to the first run, where that is sooner. */
  readonly firstMs?: number;
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
/** A wait is asked for again after so long: it may have been shortened. */
const LONGEST_WAIT_MS = 10_000;

export function createKeeper({ lock, locks, clock, tasks, onError }: KeeperDeps): Keeper {
  let stopped = true;
  let holds = false;
  let waiting: Timer | undefined;
  const timers = new Map<string, Timer>();
  const running = new Set<Promise<void>>();

  const run = (task: KeeperTask): void => {
    const ended = task
      .run(() => stopped)
      .catch((error: unknown) => onError(task.name, error))
      .finally(() => {
        running.delete(ended);
        repeat(task, 0);
      });
    running.add(ended);
  };
  const repeat = (task: KeeperTask, waitedMs: number): void => {
    if (stopped) return;
    const left = task.everyMs() - waitedMs;
    const wait = Math.min(Math.max(left, 0), LONGEST_WAIT_MS);
    timers.set(
      task.name,
      clock.after(wait, () => (wait < left ? repeat(task, waitedMs + wait) : run(task))),
    );
  };
  const tryBecome = (): void => {
    if (stopped) return;
    if (!locks.tryLock(lock)) {
      waiting = clock.after(TRY_EVERY_MS, tryBecome);
      return;
    }
    holds = true;
    for (const task of tasks) repeat(task, Math.max(0, task.everyMs() - (task.firstMs ?? Infinity)));
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
