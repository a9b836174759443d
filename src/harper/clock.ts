/** A timer that was started; `stop` is idempotent. */
export interface Timer {
  stop(): void;
}

/** Time and timers; everything that waits or reads the time takes one, so that tests can turn it. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Runs `task` once after `ms`. Does not keep the process alive. */
  after(ms: number, task: () => void): Timer;
  /** Runs `task` every `ms`, never two at a time: the next wait starts when the task's promise has settled. */
  every(ms: number, task: () => void | Promise<void>): Timer;
}

/** The machine's clock. `onError` gets what a repeated task throws; the repetition goes on. */
export function createSystemClock(onError: (error: unknown) => void): Clock {
  const after = (ms: number, task: () => void): Timer => {
    const handle = setTimeout(task, ms);
    handle.unref();
    return { stop: () => clearTimeout(handle) };
  };
  return {
    now: Date.now,
    after,
    every(ms, task) {
      let stopped = false;
      let timer: Timer;
      const run = async (): Promise<void> => {
        try {
          await task();
        } catch (error) {
          onError(error);
        }
        if (!stopped) timer = after(ms, () => void run());
      };
      timer = after(ms, () => void run());
      return {
        stop: () => {
          stopped = true;
          timer.stop();
        },
      };
    },
  };
}
