import type { Table } from '../harper/table.ts';
import type { Target } from './target.ts';

/** The only reader and writer of the Target table. */
export interface TargetStore {
  /** As this node has it, synchronously; attributes that are missing read as null. */
  find(url: string): Target | undefined;
  /** Makes the following `find` see what every thread has committed until now. */
  refresh(): void;
  /** Writes new Targets in one transaction; keep it to about 200. */
  create(targets: readonly Target[]): Promise<void>;
  /** Changes a Target that exists; answers whether it does. Never creates one. */
  change(url: string, part: Partial<Target>): Promise<boolean>;
  /** Answers whether there was one. */
  remove(url: string): Promise<boolean>;
  /** Up to `limit` Targets whose URL comes after `after`, in the order of URLs. */
  page(after: string, limit: number): Promise<Target[]>;
  /** Up to `limit` Targets in that state that are wanted (default: any), by its index. */
  inState(state: 'suppressed' | 'moved', limit: number, isWanted?: (target: Target) => boolean): Promise<Target[]>;
  /** How many there are: an estimate without a scan. */
  count(): Promise<number>;
}

/** A null is stored, and indexed, like any value; one that is absent costs neither and reads as null all the same. */
function withoutNulls(target: Target): Target {
  const present = Object.entries(target).filter(([, value]) => value !== null);
  return Object.assign({} as Target, Object.fromEntries(present));
}

/** Opens the store over the table. */
export function createTargetStore(table: Table<Target>): TargetStore {
  const find = (url: string): Target | undefined => {
    const entry = table.entry(url);
    return entry && readTarget(entry.value);
  };
  return {
    find,
    refresh: () => table.refresh(),
    create: (targets) => table.write(targets.map(withoutNulls)),
    change: async (url, part) => {
      if (!table.entry(url)) return false;
      await table.patch(url, part);
      return true;
    },
    remove: async (url) => {
      if (!table.entry(url)) return false;
      await table.delete(url);
      return true;
    },
    page: (after, limit) =>
      collect(
        table.search({
          conditions: [{ attribute: 'url', comparator: 'greater_than', value: after }],
          sort: { attribute: 'url' },
          limit,
        }),
      ),
    inState: async (state, limit, isWanted = () => true) => {
      const found: Target[] = [];
      for await (const row of table.search({
        conditions: [{ attribute: 'state', comparator: 'equals', value: state }],
      })) {
        const target = readTarget(row);
        if (isWanted(target)) found.push(target);
        if (found.length >= limit) break;
      }
      return found;
    },
    count: () => table.count(),
  };
}

async function collect(rows: AsyncIterable<Target>): Promise<Target[]> {
  const found: Target[] = [];
  for await (const row of rows) found.push(readTarget(row));
  return found;
}

/** A row that lacks attributes (a change that met a deletion on another node) is still a Target; times may be BigInt. */
function readTarget(row: Target): Target {
  return {
    url: row.url,
    sitemapUrl: row.sitemapUrl ?? null,
    source: row.source ?? 'discovery',
    discoveredBy: row.discoveredBy ?? null,
    createdAt: Number(row.createdAt ?? 0),
    firstRenderedAt: optionalNumber(row.firstRenderedAt),
    renderInterval: optionalNumber(row.renderInterval),
    demandInterval: optionalNumber(row.demandInterval),
    state: row.state ?? null,
    suppressedReason: row.suppressedReason ?? null,
    suppressedCanonical: row.suppressedCanonical ?? null,
    suppressedAt: optionalNumber(row.suppressedAt),
    strikes: Number(row.strikes ?? 0),
    unlistedAt: optionalNumber(row.unlistedAt),
    movedTo: row.movedTo ?? null,
  };
}

function optionalNumber(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
