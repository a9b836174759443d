import type { ScheduleRow } from './schedule-row.ts';

/** Goes through the rows of an index in readings of a bounded length, in the order of a time. */
export interface Scan {
  /**
   * Hands rows to `accept`, in each step until it has taken `most` or `limit` were read. Rows that are not taken must not hide those
   * behind them: when a step does not find enough, the next reading walks on from its end. The place where the walk has found rows
   * is read again each time, while another walk looks for rows before it. Resolves to whether the reading has left out rows.
   */
  read(now: number, bounds: { most: number; limit: number }, accept: (row: ScheduleRow) => boolean): Promise<boolean>;
}

/** Where a step begins: at that time, without the first `skip` rows of it. */
export interface Place {
  readonly from: number;
  readonly skip: number;
}

/** What a scan is built from. */
export interface ScanDeps {
  readonly open: (now: number, place: Place & { limit: number }) => AsyncIterable<ScheduleRow>;
  readonly timeOf: (row: ScheduleRow) => number;
  /** Awaited now and then, so that a reading never keeps the event loop. */
  readonly pause: () => Promise<void>;
}

const START: Place = { from: 0, skip: 0 };
/** Rows read between two pauses. */
const SLICE = 25;

export function createScan({ open, timeOf, pause }: ScanDeps): Scan {
  let walk = START;
  /** Where rows were found, behind many that could not be taken. */
  let home: Place | undefined;
  return {
    read: async (now, { most, limit }, accept) => {
      const step = async (start: Place): Promise<Step> => {
        let { from, skip } = start;
        let scanned = 0;
        let taken = 0;
        for await (const row of open(now, { ...start, limit })) {
          const time = timeOf(row);
          skip = time === from ? skip + 1 : 1;
          from = time;
          if (accept(row)) taken++;
          if (++scanned % SLICE === 0) await pause();
          if (taken >= most) break;
        }
        return { taken, cutAt: scanned >= limit && taken < most ? { from, skip } : undefined };
      };
      if (home) home = (await step(home)).cutAt ?? home;
      const began = walk;
      const { taken, cutAt } = await step(began);
      if (!cutAt && began === START) home = undefined;
      else if (!cutAt && taken > 0) home = began;
      walk = cutAt && !(home && isAtOrAfter(cutAt, home)) ? cutAt : START;
      return cutAt !== undefined || began !== START;
    },
  };
}

interface Step {
  readonly taken: number;
  /** Where it had to end before it had found enough. */
  readonly cutAt: Place | undefined;
}

function isAtOrAfter(place: Place, other: Place): boolean {
  return place.from > other.from || (place.from === other.from && place.skip >= other.skip);
}
