import { harperGlobals, type HarperTable } from './globals.ts';
import type { Condition, Entry, Query, Table } from './table.ts';

/** Reads stay on this node and take no snapshot of the whole database while they run. */
const LOCAL_READ = { replicateFrom: false, snapshot: false } as const;

/**
 * Opens a table of schema.graphql.
 * @throws Error naming the table when the schema has not been loaded.
 */
export function openTable<Row extends object>(database: string, name: string): Table<Row> {
  const table = harperGlobals().databases[database]?.[name];
  if (!table) throw new Error(`The table ${database}.${name} does not exist: schema.graphql has not been loaded`);
  return wrapTable<Row>(table);
}

/** Typed access over a Harper table class. */
export function wrapTable<Row extends object>(table: HarperTable): Table<Row> {
  const store = table.primaryStore;
  const entry = (id: string): Entry<Row> | undefined => {
    const found = store.getEntry(id);
    // A deleted row leaves an entry without a value until it is cleaned up.
    return found?.value ? (found as Entry<Row>) : undefined;
  };
  return {
    entry,
    refresh: () => store.resetReadTxn(),
    get: async (id) => entry(id)?.value,
    put: async (row) => {
      await table.put(row);
    },
    write: async (rows, deletions = []) => {
      if (rows.length + deletions.length === 0) return;
      await harperGlobals().transaction(async (context) => {
        await Promise.all([
          ...rows.map((row) => table.put(row, context)),
          ...deletions.map((id) => table.delete(id, context)),
        ]);
      });
    },
    patch: async (id, part) => {
      await table.patch(id, part);
    },
    delete: async (id) => {
      await table.delete(id);
    },
    search: (query) => table.search(toHarperQuery(query), { ...LOCAL_READ }) as AsyncIterable<Row>,
    count: async () => (await table.getRecordCount()).recordCount,
    subscribe: (listener) => subscribe(table, listener),
    setResidencyById: (owners) => table.setResidencyById((id) => [...owners(id)]),
  };
}

function toHarperQuery(query: Query): object {
  return {
    ...query,
    conditions: query.conditions?.map(toHarperCondition),
    sort: query.sort && { ...query.sort },
    select: query.select && [...query.select],
  };
}

/** Harper takes `''` for null, which primary keys are not indexed for; no key of ours sorts before this one. */
const BEFORE_ALL = '\u0001';

function toHarperCondition({ attribute, comparator, value }: Condition): object {
  const isStart = comparator === 'greater_than' && value === '';
  return { attribute, comparator, value: isStart ? BEFORE_ALL : value };
}

async function subscribe<Row extends object>(
  table: HarperTable,
  listener: (id: string, row: Row | undefined) => void,
): Promise<() => void> {
  const events = await table.subscribe({ omitCurrent: true });
  let stopped = false;
  const pump = async (): Promise<void> => {
    for await (const event of events) {
      if (stopped) return;
      try {
        listener(event.id, (event.value ?? undefined) as Row | undefined);
      } catch (error) {
        harperGlobals().logger.error(`A listener of a table failed: ${String(error)}`);
      }
    }
  };
  pump().catch((error: unknown) => harperGlobals().logger.error(`A table subscription ended: ${String(error)}`));
  return () => {
    stopped = true;
    if (events.end) events.end();
    else events.return?.();
  };
}
