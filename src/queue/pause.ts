import type { Clock } from '../harper/clock.ts';
import type { Table } from '../harper/table.ts';

/** Row of QueueControl: an operator's intent to hold the queue of one host, or of all (`*`). */
export interface QueueControl {
  scope: string;
  paused: boolean;
  reason: string;
  who: string;
  at: number;
}

/** Holds and releases jobs, on all nodes. Jobs that are leased already go on. */
export interface Pause {
  isPaused(scope: string): boolean;
  pause(scope: string, by: { who: string; reason: string }): Promise<void>;
  resume(scope: string, by: { who: string; reason: string }): Promise<void>;
  /** What is held, at most `limit` scopes. */
  list(limit: number): Promise<QueueControl[]>;
}

/** Scope that means every host. */
export const ALL_HOSTS = '*';

/** The only reader and writer of QueueControl. */
export function createPause(table: Table<QueueControl>, clock: Clock): Pause {
  const set = (scope: string, paused: boolean, by: { who: string; reason: string }): Promise<void> =>
    table.put({ scope, paused, ...by, at: clock.now() });
  return {
    isPaused: (scope) => table.entry(scope)?.value.paused === true,
    pause: (scope, by) => set(scope, true, by),
    resume: (scope, by) => set(scope, false, by),
    list: async (limit) => {
      const found: QueueControl[] = [];
      for await (const row of table.search({})) {
        if (row.paused) found.push({ ...row });
        if (found.length >= limit) break;
      }
      return found;
    },
  };
}
