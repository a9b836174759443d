import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import { byFallingScore, priority } from './priority.ts';
import type { Schedule } from './schedule.ts';
import type { ScheduleRow } from './schedule-row.ts';

/**
 * The rows that claims choose from, in the memory of one thread: the oldest-due and the marked ones, `render.queueWindow` of each at
 * most (about 400 bytes a row). It is a picture: a claim checks each row that it takes from here.
 */
export interface ClaimWindow {
  /** Rows by falling priority. */
  candidates(): Iterable<ScheduleRow>;
  /** Takes a row out: granted, or found not to be due. */
  drop(url: string): void;
  /** Takes a row out and leaves it out for a while. */
  shun(url: string): void;
  size(): number;
  /**
   * Reads anew when the picture is older than `ageMs`; resolves when it is done, when an empty window has got `enough` rows, or after
   * `limitMs`.
   */
  refreshed(ageMs: number, limitMs: number, enough?: number): Promise<void>;
  /** Reads anew in the background when the picture has run low. */
  replenish(): void;
}

/** What the window is built from. */
export interface WindowDeps {
  readonly schedule: Schedule;
  readonly config: ConfigSource;
  readonly clock: Clock;
  /** Whether a row may be granted at all: owned here, not leased, its host neither paused nor refusing. */
  readonly isUsable: (row: ScheduleRow) => boolean;
  /** How many rows may be due and leased: they are read and skipped. */
  readonly leasedCount: () => number;
  readonly onError: (error: unknown) => void;
}

/** Rows read between two turns of the event loop. */
const SLICE = 25;
/** A Target follows its schedule row over the network within moments; one that never comes is put off by the repair. */
const SHUN_MS = 2_000;
const MOST_SHUNNED = 20_000;
/** Below this part of its size the window is read anew. */
const LOW_WATER = 0.5;
const LEAST_AGE_MS = 200;
/** The time that readings take is at most one part of so many. */
const REST_FACTOR = 5;
const LONGEST_REST_MS = 800;
/** Rows looked at in one reading, as a multiple of the window, when most cannot be granted. */
const SCAN_FACTOR = 4;

export function createWindow(deps: WindowDeps): ClaimWindow {
  const { schedule, config, clock } = deps;
  let rows = new Map<string, ScheduleRow>();
  const shunned = new Map<string, number>();
  let readAt = -Infinity;
  let resume = { from: 0, skip: 0 };
  let readingMs = 0;
  let reading: Promise<void> | undefined;
  const waiting = new Set<() => void>();

  const isCandidate = (row: ScheduleRow, now: number): boolean =>
    row.nextRenderTime <= now && Number(shunned.get(row.url) ?? 0) <= now && deps.isUsable(row);

  const read = async (): Promise<void> => {
    const size = config.current().render.queueWindow;
    const now = clock.now();
    const next = new Map<string, ScheduleRow>();
    const start = performance.now();
    // Nothing to choose from: the rows may be granted while they are read.
    if (rows.size === 0) rows = next;
    await take(schedule.marked(size + deps.leasedCount()), size);
    const limit = size * SCAN_FACTOR + deps.leasedCount();
    const { scanned, last, atLast } = await take(schedule.due(now, { ...resume, limit }), size);
    // Rows that cannot be granted must not hide those behind them: the next reading goes on where this one ended.
    const more = scanned >= limit && next.size < size;
    resume = more ? { from: last, skip: atLast + (last === resume.from ? resume.skip : 0) } : { from: 0, skip: 0 };
    rows = next;
    readAt = now;
    readingMs = performance.now() - start;

    async function take(found: AsyncIterable<ScheduleRow>, most: number): Promise<Taken> {
      const taken: Taken = { scanned: 0, last: 0, atLast: 0 };
      let usable = 0;
      for await (const row of found) {
        taken.atLast = row.nextRenderTime === taken.last ? taken.atLast + 1 : 1;
        taken.last = row.nextRenderTime;
        if (isCandidate(row, now)) {
          next.set(row.url, row);
          usable++;
        }
        if (++taken.scanned % SLICE === 0) {
          for (const waiter of waiting) waiter();
          await nextTurn();
        }
        if (usable >= most) break;
      }
      return taken;
    }
  };
  const restMs = (): number => Math.min(readingMs * REST_FACTOR, LONGEST_REST_MS);
  const refresh = (): Promise<void> => {
    reading ??= read()
      .catch(deps.onError)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const waitForRows = (reading: Promise<void>, limitMs: number, enough: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.after(limitMs, () => finish());
      const look = (): void => {
        if (rows.size >= enough) finish();
      };
      const finish = (): void => {
        timer.stop();
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      void reading.then(finish);
      look();
    });
  return {
    candidates: () => {
      const now = clock.now();
      const { sitemapBoost } = config.current().render;
      return byFallingScore([...rows.values()], (row) => priority(row, now, sitemapBoost));
    },
    drop: (url) => void rows.delete(url),
    shun: (url) => {
      rows.delete(url);
      if (shunned.size >= MOST_SHUNNED) shunned.clear();
      shunned.set(url, clock.now() + SHUN_MS);
    },
    size: () => rows.size,
    refreshed: async (ageMs, limitMs, enough = Infinity) => {
      const isOld = (): boolean => clock.now() - readAt > Math.max(ageMs, restMs());
      // A reading that was under way may have begun too early to see what fell due since.
      for (let attempt = 0; attempt < 2 && isOld() && !(attempt > 0 && rows.size >= enough); attempt++) {
        await waitForRows(refresh(), limitMs, enough);
      }
    },
    replenish: () => {
      const low = rows.size < config.current().render.queueWindow * LOW_WATER;
      if (low && clock.now() - readAt > Math.max(LEAST_AGE_MS, restMs())) void refresh();
    },
  };
}

interface Taken {
  scanned: number;
  /** Due time of the last row, and how many rows of that time came at the end. */
  last: number;
  atLast: number;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
