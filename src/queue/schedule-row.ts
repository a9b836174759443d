/** Row of the RenderSchedule table (schema.graphql): when a URL is due. Times are epoch ms. */
export interface ScheduleRow {
  url: string;
  nextRenderTime: number;
  /** Ms that lateness is measured against. */
  cadence: number;
  fromSitemap: boolean;
  changedAt?: number | null;
  urgentAt?: number | null;
  /** When the newer of the two marks was set; absent, not null, without one: nulls would be indexed. */
  markedAt?: number;
  /** Since when its Target was found missing. */
  targetMissingSince?: number | null;
  /** The last lease that was settled: a lease of the URL is open until its id stands here. */
  settledLease?: string | null;
  /** Failed renders in a row. */
  failures?: number;
  /** Leases in a row that ended without any result. */
  expiredLeases?: number;
}

export type Mark = 'changed' | 'urgent';

/** The row due now, with its mark. */
export function withMark(row: ScheduleRow, mark: Mark, at: number): ScheduleRow {
  return {
    ...row,
    nextRenderTime: Math.min(row.nextRenderTime, at),
    markedAt: at,
    ...(mark === 'changed' ? { changedAt: at } : { urgentAt: at }),
    // Whoever marks a row wants to see it tried: what was held against it so far is forgotten.
    failures: 0,
    expiredLeases: 0,
  };
}

/** The row without the marks that were set before `grantedAt`; a later mark stays. */
export function withoutMarks(row: ScheduleRow, grantedAt: number): ScheduleRow {
  const { markedAt: _markedAt, ...rest } = row;
  const changedAt = notBefore(row.changedAt, grantedAt);
  const urgentAt = notBefore(row.urgentAt, grantedAt);
  const marks = [changedAt, urgentAt].filter((at): at is number => at !== null);
  return { ...rest, changedAt, urgentAt, ...(marks.length > 0 ? { markedAt: Math.max(...marks) } : {}) };
}

/**
 * Whether a lease that began at `leasedAt` is older than what is known of the page. In the same millisecond it counts as older: another
 * render costs little, an old price that stays costs a day.
 */
export function isSuperseded(row: ScheduleRow, leasedAt: number, invalidatedAt: number): boolean {
  return Math.max(row.changedAt ?? 0, invalidatedAt) >= leasedAt;
}

/** The mark that a claim counts the row under. */
export function markOf(row: Pick<ScheduleRow, 'changedAt' | 'urgentAt'>): Mark | 'none' {
  if (row.changedAt) return 'changed';
  return row.urgentAt ? 'urgent' : 'none';
}

function notBefore(at: number | null | undefined, limit: number): number | null {
  return at && at >= limit ? at : null;
}
