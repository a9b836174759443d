import type { ScheduleRow } from './schedule-row.ts';

/** Head start, in cadences, of a row whose page is known to have changed. */
export const CHANGED_HEAD_START = 1;
/** Head start, in cadences, of a row that was asked for early. */
export const URGENT_HEAD_START = 0.5;

/** Places in a claim order, highest first: lateness in cadences, with the head start of its mark, times the sitemap's boost. */
export function priority(row: ScheduleRow, now: number, sitemapBoost: number): number {
  const lateness = (now - row.nextRenderTime) / Math.max(row.cadence, 1);
  const headStart = row.changedAt ? CHANGED_HEAD_START : row.urgentAt ? URGENT_HEAD_START : 0;
  return (lateness + headStart) * (row.fromSitemap ? sitemapBoost : 1);
}

/** Hands out the items by falling score, each in logarithmic time: a claim takes a few of thousands. */
export function* byFallingScore<T>(items: readonly T[], score: (item: T) => number): Generator<T> {
  const heap = items.map((item) => ({ item, score: score(item) }));
  for (let index = (heap.length >> 1) - 1; index >= 0; index--) sink(heap, index, heap.length);
  for (let size = heap.length; size > 0;) {
    const top = heap[0];
    if (!top) return;
    yield top.item;
    size--;
    const last = heap[size];
    if (last) heap[0] = last;
    sink(heap, 0, size);
  }
}

function sink<T extends { score: number }>(heap: T[], start: number, size: number): void {
  let at = start;
  const moving = heap[at];
  if (!moving) return;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    const right = child + 1;
    if (right < size && scoreAt(heap, right) > scoreAt(heap, child)) child = right;
    const larger = heap[child];
    if (!larger || larger.score <= moving.score) break;
    heap[at] = larger;
    at = child;
  }
  heap[at] = moving;
}

function scoreAt<T extends { score: number }>(heap: readonly T[], index: number): number {
  return heap[index]?.score ?? -Infinity;
}
