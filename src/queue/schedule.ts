import { hashText } from '../cluster/hash.ts';
import type { Locks, Table } from '../harper/table.ts';
import type { ScheduleRow } from './schedule-row.ts';

/**
 * The only reader and writer of the RenderSchedule table. Rows are read and then written whole, so every change runs inside
 * `withUrl`, which excludes the other threads of the node; no other node writes a row that this one owns.
 */
export interface Schedule {
  /** As this node has it, synchronously. */
  find(url: string): ScheduleRow | undefined;
  /** Makes the following `find` see what every thread has committed until now. */
  refresh(): void;
  /**
   * Runs `task` as the only one that changes the row of this URL.
   * @throws Error when another thread held it for longer than a few seconds.
   */
  withUrl<T>(url: string, task: () => Promise<T>): Promise<T>;
  put(row: ScheduleRow): Promise<void>;
  /** Writes those rows of new Targets that are not there yet, in one transaction; keep it to about 200. */
  create(rows: readonly ScheduleRow[]): Promise<void>;
  remove(url: string): Promise<void>;
  /** Rows due at `now`, the oldest first, without the first `skip` of those due since `from`. Close it before writing. */
  due(now: number, options: { from: number; skip: number; limit: number }): AsyncIterable<ScheduleRow>;
  /** Rows with a mark, the oldest mark first, without the first `skip` of those marked since `from`. */
  marked(options: { from: number; skip: number; limit: number }): AsyncIterable<ScheduleRow>;
  /** Up to `limit` rows whose URL comes after `after`, in the order of URLs. */
  page(after: string, limit: number): Promise<ScheduleRow[]>;
}

const LOCK_WAIT_MS = 5_000;

/** Opens the store over the table. */
export function createSchedule(table: Table<ScheduleRow>, locks: Locks): Schedule {
  return {
    find: (url) => {
      const entry = table.entry(url);
      return entry && readRow(entry.value);
    },
    refresh: () => table.refresh(),
    withUrl: (url, task) =>
      locks.withLock(`schedule|${hashText(url)}`, LOCK_WAIT_MS, () => {
        table.refresh();
        return task();
      }),
    put: (row) => table.put(row),
    // Without the locks of the URLs: a row that is not there has nothing to lose, and two first rows are as good as one.
    create: (rows) => {
      table.refresh();
      return table.write(rows.filter(({ url }) => !table.entry(url)));
    },
    remove: (url) => table.delete(url),
    due: (now, { from, skip, limit }) =>
      readRows(
        table.search({
          conditions: [
            { attribute: 'nextRenderTime', comparator: 'greater_than_equal', value: from },
            { attribute: 'nextRenderTime', comparator: 'less_than_equal', value: now },
          ],
          sort: { attribute: 'nextRenderTime' },
          ...(skip > 0 ? { offset: skip } : {}),
          limit,
        }),
      ),
    marked: ({ from, skip, limit }) =>
      readRows(
        table.search({
          conditions: [{ attribute: 'markedAt', comparator: 'greater_than_equal', value: Math.max(from, 1) }],
          sort: { attribute: 'markedAt' },
          ...(skip > 0 ? { offset: skip } : {}),
          limit,
        }),
      ),
    page: async (after, limit) => {
      const rows: ScheduleRow[] = [];
      const found = table.search({
        conditions: [{ attribute: 'url', comparator: 'greater_than', value: after }],
        sort: { attribute: 'url' },
        limit,
      });
      for await (const row of found) rows.push(readRow(row));
      return rows;
    },
  };
}

async function* readRows(rows: AsyncIterable<ScheduleRow>): AsyncIterable<ScheduleRow> {
  for await (const row of rows) yield readRow(row);
}

/** Times may come back as BigInt; the row of the table is frozen and has attributes of its own. */
function readRow(row: ScheduleRow): ScheduleRow {
  const { markedAt } = row;
  return {
    url: row.url,
    nextRenderTime: Number(row.nextRenderTime),
    cadence: Number(row.cadence),
    fromSitemap: Boolean(row.fromSitemap),
    changedAt: Number(row.changedAt ?? 0) || null,
    urgentAt: Number(row.urgentAt ?? 0) || null,
    ...(markedAt ? { markedAt: Number(markedAt) } : {}),
    targetMissingSince: Number(row.targetMissingSince ?? 0) || null,
    settledLease: row.settledLease ?? null,
    failures: Number(row.failures ?? 0),
    expiredLeases: Number(row.expiredLeases ?? 0),
  };
}
