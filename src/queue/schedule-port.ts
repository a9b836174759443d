import { fractionOf } from '../cluster/hash.ts';
import type { Residency } from '../cluster/residency.ts';
import type { Clock } from '../harper/clock.ts';
import type { Table } from '../harper/table.ts';
import type { SchedulePort } from '../target/target.ts';
import type { Schedule } from './schedule.ts';
import { withMark, type Mark, type ScheduleRow } from './schedule-row.ts';

/**
 * Row of ScheduleRequest: what another node asks the owner of a URL to do. It is shipped to the owner, also when that is down,
 * and deleted there once done. `id` is `<kind>|<url>`, so asking twice is asking once.
 */
export interface ScheduleRequest {
  id: string;
  url: string;
  kind: 'first' | 'drop' | Mark;
  /** Epoch ms when it was asked. */
  at: number;
  intervalMs?: number;
  withinMs?: number;
  fromSitemap?: boolean;
}

/** The port, and the owner's side of it. */
export interface ScheduleInbox extends SchedulePort {
  /** Owner: does what other nodes have asked, at most `limit` requests. Resolves to how many there were. */
  drain(limit: number): Promise<number>;
}

/** Memory of what was sent on: about 200 bytes each. */
const MOST_SENT_ON = 10_000;

/** What the port is built from. */
export interface SchedulePortDeps {
  readonly schedule: Schedule;
  readonly requests: Table<ScheduleRequest>;
  readonly residency: Residency;
  readonly clock: Clock;
}

/**
 * Files due times: the owner writes its row; any other node leaves a request, which never waits for the owner. A whole-row write
 * from elsewhere would wipe what the owner knows.
 */
export function createSchedulePort(deps: SchedulePortDeps): ScheduleInbox {
  const { requests, residency, clock } = deps;
  const ask = async (request: Omit<ScheduleRequest, 'id' | 'at'>): Promise<void> => {
    const full = { ...request, id: `${request.kind}|${request.url}`, at: clock.now() };
    // While nodes are still missing from the list, every URL of theirs looks like one of this node's.
    if (residency.isStable() && residency.owns(request.url)) await apply(deps, full);
    else await requests.put(full);
  };
  return {
    fileFirst: (url, options) => ask({ url, kind: 'first', ...options }),
    fileFirstAll: (rows) => fileFirstAll(deps, rows),
    fileDue: (url, mark) => ask({ url, kind: mark }),
    drop: (url) => ask({ url, kind: 'drop' }),
    drain: createDrain(deps),
  };
}

async function fileFirstAll(deps: SchedulePortDeps, rows: Parameters<SchedulePort['fileFirstAll']>[0]): Promise<void> {
  const { schedule, requests, residency, clock } = deps;
  const at = clock.now();
  const asked = rows.map((row): ScheduleRequest => ({ ...row, kind: 'first', id: `first|${row.url}`, at }));
  const isStable = residency.isStable();
  const isMine = ({ url }: ScheduleRequest): boolean => isStable && residency.owns(url);
  await Promise.all([
    schedule.create(asked.filter(isMine).map((request) => firstRow(request, at))),
    requests.write(asked.filter((request) => !isMine(request))),
  ]);
}

/** URL that a request's id is about: residency goes by it. */
export function requestUrl(id: string): string {
  return id.slice(id.indexOf('|') + 1);
}

/** When a new Target is first rendered: a moment that the URL decides, so that many at once spread out. */
export function firstRenderTime(url: string, now: number, intervalMs: number, withinMs: number): number {
  return Math.round(now + fractionOf(url) * Math.min(intervalMs, withinMs));
}

/** Goes through the requests, a part each time, from the start again after the last: none hides those behind it. */
function createDrain(deps: SchedulePortDeps): ScheduleInbox['drain'] {
  const { requests, residency } = deps;
  const sentOn = createSentOn();
  let after = '';
  return async (limit) => {
    const found = await requestsAfter(requests, after, limit);
    after = found.length < limit ? '' : (found.at(-1)?.id ?? '');
    const isMine = ({ url }: ScheduleRequest): boolean => residency.owns(url);
    const mine = found.filter(isMine).sort((a, b) => Number(a.at) - Number(b.at));
    const deletions: Promise<unknown>[] = [];
    for (const request of mine) {
      await apply(deps, request);
      // Asked again meanwhile: that one is done in the next round.
      if (requests.entry(request.id)?.value.at !== request.at) continue;
      // Should it stay, it is done once more.
      deletions.push(requests.delete(request.id).catch(() => undefined));
    }
    // It was asked when this node owned the URL, or believed so: written again, it goes to the owner of today.
    for (const request of found) if (!isMine(request) && sentOn.add(request)) await requests.put({ ...request });
    await Promise.all(deletions);
    return deletions.length;
  };
}

async function requestsAfter(
  requests: Table<ScheduleRequest>,
  after: string,
  limit: number,
): Promise<ScheduleRequest[]> {
  const found: ScheduleRequest[] = [];
  const rows = requests.search({
    conditions: [{ attribute: 'id', comparator: 'greater_than', value: after }],
    sort: { attribute: 'id' },
    limit,
  });
  for await (const request of rows) found.push(request);
  return found;
}

/** Requests that were sent on, of which copies may stay here: each is sent once. */
function createSentOn(): { add(request: ScheduleRequest): boolean } {
  const sent = new Map<string, number>();
  return {
    add: ({ id, at }) => {
      if (sent.get(id) === Number(at)) return false;
      if (sent.size >= MOST_SENT_ON) sent.clear();
      sent.set(id, Number(at));
      return true;
    },
  };
}

function apply({ schedule, clock }: SchedulePortDeps, request: ScheduleRequest): Promise<void> {
  return schedule.withUrl(request.url, async () => {
    const row = schedule.find(request.url);
    switch (request.kind) {
      case 'first':
        if (!row) await schedule.put(firstRow(request, Number(request.at)));
        return;
      case 'drop':
        if (row) await schedule.remove(request.url);
        return;
      case 'changed':
      case 'urgent':
        // By this node's clock: a lease is older than a mark or it is not, whatever the clock of who asked says.
        if (row) await schedule.put(withMark(row, request.kind, clock.now()));
        return;
    }
  });
}

function firstRow(request: ScheduleRequest, now: number): ScheduleRow {
  const cadence = Number(request.intervalMs ?? 86_400_000);
  return {
    url: request.url,
    nextRenderTime: firstRenderTime(request.url, now, cadence, Number(request.withinMs ?? cadence)),
    cadence,
    fromSitemap: request.fromSitemap ?? false,
    changedAt: null,
    urgentAt: null,
    targetMissingSince: null,
    settledLease: null,
    failures: 0,
    expiredLeases: 0,
  };
}
