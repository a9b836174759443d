import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import { byFallingScore, priority } from './priority.ts';
import { createScan } from './scan.ts';
import type { Schedule } from './schedule.ts';
import type { ScheduleRow } from './schedule-row.ts';

/**
 * The rows that claims choose from, in the memory of one thread: the oldest-due and the marked ones, `render.queueWindow` of each at
 * most, and as many again while many others cannot be granted (about 400 bytes a row). It is a picture: a claim checks each row that it takes from here.
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
  /** Made for each reading: whether a row may be granted at all: owned here, not leased, its host neither paused nor refusing. */
  readonly usable: () => (row: ScheduleRow) => boolean;
  /** How many rows may be due and leased: they are read and skipped. */
  readonly leasedCount: () => number;
  readonly onError: (error: unknown) => void;
}

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
  /** What the reading that is under way has found. */
  let next = rows;
  const shunned = new Map<string, number>();
  let readAt = -Infinity;
  let readingMs = 0;
  let reading: Promise<void> | undefined;
  const waiting = new Set<() => void>();
  const pause = async (): Promise<void> => {
    for (const waiter of waiting) waiter();
    await nextTurn();
  };
  const marked = createScan({
    open: (_now, place) => schedule.marked(place),
    timeOf: (row) => row.markedAt ?? 0,
    pause,
  });
  const due = createScan({ open: schedule.due, timeOf: (row) => row.nextRenderTime, pause });

  const read = async (): Promise<void> => {
    const size = config.current().render.queueWindow;
    const now = clock.now();
    next = new Map();
    const start = performance.now();
    const isUsable = deps.usable();
    const accept = (row: ScheduleRow): boolean => {
      if (row.nextRenderTime > now || (shunned.get(row.url) ?? 0) > now || !isUsable(row)) return false;
      next.set(row.url, row);
      return true;
    };
    // Nothing to choose from: the rows may be granted while they are read.
    if (rows.size === 0) rows = next;
    const leased = deps.leasedCount();
    const marksLeftOut = await marked.read(now, { most: size, limit: size + leased }, accept);
    const dueLeftOut = await due.read(now, { most: size, limit: size * SCAN_FACTOR + leased }, accept);
    // A reading of one part says nothing against the rows of the others.
    if (rows !== next && (marksLeftOut || dueLeftOut)) {
      for (const row of rows.values()) if (next.size < size && !next.has(row.url)) accept(row);
    }
    rows = next;
    readAt = now;
    readingMs = performance.now() - start;
  };
  const drop = (url: string): void => {
    rows.delete(url);
    next.delete(url);
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
    drop,
    shun: (url) => {
      drop(url);
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

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
