import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessExit } from './processes.ts';

/** What can be kept running: a process, an instance. */
export interface Stoppable {
  readonly exited: Promise<ProcessExit>;
  log(): string;
  stop(graceMs?: number): Promise<ProcessExit>;
}

/** One that is started again whenever it ends by itself. */
export interface Kept<T extends Stoppable> {
  /** The one that runs, or ran last. */
  current(): T;
  /** Stops it for good. Harmless when repeated. */
  stop(graceMs?: number): Promise<void>;
}

/** What {@link keepRunning} needs. */
export interface KeepOptions<T extends Stoppable> {
  name: string;
  first: T;
  /** Starts it again after `last` has ended. */
  again: (last: T, signal: AbortSignal) => Promise<T>;
  /** Tells the user. */
  say: (line: string) => void;
  /** Ms before the first new attempt; doubles up to `maxDelayMs` while it keeps ending. Default 1,000 and 30,000. */
  delayMs?: number;
  maxDelayMs?: number;
}

/** A process that ran for this long is taken to have been well. */
const HEALTHY_MS = 60_000;

/** Starts what has ended again, until it is stopped. Says so each time, with the last lines of its log. */
export function keepRunning<T extends Stoppable>(options: KeepOptions<T>): Kept<T> {
  const { name, again, say, delayMs = 1_000, maxDelayMs = 30_000 } = options;
  const stopping = new AbortController();
  let current = options.first;

  const watch = async (): Promise<void> => {
    let wait = delayMs;
    while (!stopping.signal.aborted) {
      const since = Date.now();
      const exit = await current.exited;
      if (stopping.signal.aborted) return;
      if (Date.now() - since > HEALTHY_MS) wait = delayMs;
      say(`${name} ended with ${exit.signal ?? `code ${exit.code}`}; it is started again.${lastLines(current.log())}`);
      wait = await startAgain(wait);
    }
  };

  /** Tries until it runs or the stop comes. Returns the wait before the next attempt, should it end again. */
  const startAgain = async (firstWait: number): Promise<number> => {
    let wait = firstWait;
    while (!stopping.signal.aborted) {
      await delay(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      wait = Math.min(wait * 2, maxDelayMs);
      if (stopping.signal.aborted) break;
      try {
        current = await again(current, stopping.signal);
        say(`${name} runs again.`);
        break;
      } catch (error) {
        if (stopping.signal.aborted) break;
        say(`${name} could not be started again: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return wait;
  };
  const watching = watch();

  return {
    current: () => current,
    async stop(graceMs) {
      stopping.abort();
      await current.stop(graceMs);
      await watching;
      // A start that was under way when the stop came.
      await current.stop(graceMs);
    },
  };
}

function lastLines(log: string): string {
  const lines = log.trimEnd().split('\n').filter(Boolean).slice(-5);
  return lines.length === 0 ? '' : ` Its last lines:\n${lines.map((line) => `    ${line}`).join('\n')}`;
}
