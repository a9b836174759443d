import type { Clock, Timer } from '../../../src/harper/clock.ts';

interface Waiting {
  at: number;
  run: () => void | Promise<void>;
}

/** A clock that stands until it is turned. */
export class TurnedClock implements Clock {
  #now: number;
  readonly #waiting = new Set<Waiting>();

  constructor(start = 1_800_000_000_000) {
    this.#now = start;
  }

  now = (): number => this.#now;

  after(ms: number, task: () => void): Timer {
    const entry: Waiting = { at: this.#now + ms, run: task };
    this.#waiting.add(entry);
    return { stop: () => void this.#waiting.delete(entry) };
  }

  every(ms: number, task: () => void | Promise<void>): Timer {
    let timer: Timer;
    let stopped = false;
    const arm = (): void => {
      const entry: Waiting = {
        at: this.#now + ms,
        run: async () => {
          await task();
          if (!stopped) arm();
        },
      };
      this.#waiting.add(entry);
      timer = { stop: () => void this.#waiting.delete(entry) };
    };
    arm();
    return {
      stop: () => {
        stopped = true;
        timer.stop();
      },
    };
  }

  /** Moves the time on by `ms` without running anything that falls due: for long spans. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Moves the time on by `ms`, running in order, and awaiting, what falls due on the way. */
  async turn(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#waiting].filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#waiting.delete(due);
      this.#now = Math.max(this.#now, due.at);
      await due.run();
    }
    this.#now = until;
  }
}
