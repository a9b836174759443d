import type { Condition, Entry, Locks, Query, SharedBuffers, Table } from '../../../src/harper/table.ts';

/** A `Table` in memory. Writes become visible when `commit` has settled, as on a real one (default: next microtask). */
export class MemoryTable<Row extends object> implements Table<Row> {
  /** How many rows were written or deleted, to tell "steady state writes nothing". */
  writes = 0;
  /** Awaited before each write becomes visible; throw in it to make a write fail. */
  commit: () => Promise<void> = () => Promise.resolve();

  readonly #key: keyof Row & string;
  readonly #rows = new Map<string, Entry<Row>>();
  readonly #listeners = new Set<(id: string, row: Row | undefined) => void>();
  #version = 0;
  #owners: ((id: string) => readonly string[]) | undefined;

  constructor(key: keyof Row & string, rows: readonly Row[] = []) {
    this.#key = key;
    for (const row of rows) this.#store(row);
  }

  entry(id: string): Entry<Row> | undefined {
    const found = this.#rows.get(id);
    return found && { value: structuredCloneRow(found.value), version: found.version };
  }

  async get(id: string): Promise<Row | undefined> {
    return this.entry(id)?.value;
  }

  async put(row: Row): Promise<void> {
    await this.write([row]);
  }

  async write(rows: readonly Row[], deletions: readonly string[] = []): Promise<void> {
    const copies = rows.map(structuredCloneRow);
    await this.commit();
    for (const row of copies) this.#store(row);
    for (const id of deletions) this.#remove(id);
  }

  async patch(id: string, part: Partial<Row>): Promise<void> {
    const copy = structuredCloneRow(part);
    await this.commit();
    const before = this.#rows.get(id)?.value ?? ({ [this.#key]: id } as Partial<Row>);
    this.#store({ ...before, ...copy } as Row);
  }

  async delete(id: string): Promise<void> {
    await this.commit();
    this.#remove(id);
  }

  async *search(query: Query): AsyncIterable<Row> {
    const conditions = query.conditions ?? [];
    const fits = (row: Row): boolean =>
      query.operator === 'or'
        ? conditions.some((condition) => matches(row, condition))
        : conditions.every((condition) => matches(row, condition));
    const found = [...this.#rows.values()].map((entry) => entry.value).filter(fits);
    const { attribute, descending } = query.sort ?? { attribute: this.#key };
    found.sort((a, b) => compare(valueOf(a, attribute), valueOf(b, attribute)) * (descending ? -1 : 1));
    const offset = query.offset ?? 0;
    for (const row of found.slice(offset, offset + (query.limit ?? Infinity))) yield project(row, query.select);
  }

  async count(): Promise<number> {
    return this.#rows.size;
  }

  async subscribe(listener: (id: string, row: Row | undefined) => void): Promise<() => void> {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** How often a caller asked for the newest state. */
  refreshes = 0;

  refresh(): void {
    this.refreshes++;
  }

  setResidencyById(owners: (id: string) => readonly string[]): void {
    this.#owners = owners;
  }

  /** Nodes that a row would be stored on, by the function that was set. */
  ownersOf(id: string): readonly string[] | undefined {
    return this.#owners?.(id);
  }

  /** Every row, for assertions. */
  rows(): Row[] {
    return [...this.#rows.values()].map((entry) => structuredCloneRow(entry.value));
  }

  #store(row: Row): void {
    this.writes++;
    const id = String(row[this.#key]);
    this.#rows.set(id, { value: row, version: ++this.#version });
    for (const listener of this.#listeners) listener(id, structuredCloneRow(row));
  }

  #remove(id: string): void {
    this.writes++;
    this.#rows.delete(id);
    for (const listener of this.#listeners) listener(id, undefined);
  }
}

/** Top level only: Blobs and Buffers are shared, as they are immutable here. */
function structuredCloneRow<T extends object>(row: T): T {
  return { ...row };
}

function valueOf(row: object, attribute: string): unknown {
  return (row as Record<string, unknown>)[attribute];
}

function project<Row extends object>(row: Row, select: readonly string[] | undefined): Row {
  if (!select) return structuredCloneRow(row);
  return Object.fromEntries(select.map((name) => [name, valueOf(row, name)])) as Row;
}

/** Nulls first, then numbers and booleans, then strings: the order of an index. */
function compare(a: unknown, b: unknown): number {
  const rank = (value: unknown): number =>
    value === null || value === undefined ? 0 : typeof value === 'string' ? 2 : 1;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (rank(a) === 0) return 0;
  return (a as string | number) < (b as string | number) ? -1 : (a as string | number) > (b as string | number) ? 1 : 0;
}

function matches(row: object, { attribute, comparator, value }: Condition): boolean {
  const actual = valueOf(row, attribute) ?? null;
  if (comparator === 'equals') return actual === value;
  if (comparator === 'not_equal') return actual !== value;
  if (actual === null || value === null) return false;
  if (comparator === 'starts_with') return typeof actual === 'string' && actual.startsWith(String(value));
  const order = compare(actual, value);
  switch (comparator) {
    case 'greater_than':
      return order > 0;
    case 'greater_than_equal':
      return order >= 0;
    case 'less_than':
      return order < 0;
    case 'less_than_equal':
      return order <= 0;
  }
}

/** What the threads of one node share: give each simulated thread its own `threadLocks()`. */
export class MemoryNode implements SharedBuffers {
  readonly #held = new Map<string, object>();
  readonly #buffers = new Map<string, SharedArrayBuffer>();

  open(name: string, bytes: number): SharedArrayBuffer {
    const found = this.#buffers.get(name) ?? new SharedArrayBuffer(bytes);
    this.#buffers.set(name, found);
    return found;
  }

  /** Locks as one thread sees them; `die` frees what the thread holds, as its exit does. */
  threadLocks(): Locks & { die(): void } {
    const thread = {};
    const held = this.#held;
    const tryLock = (name: string): boolean => {
      if (held.has(name)) return false;
      held.set(name, thread);
      return true;
    };
    const unlock = (name: string): void => void held.delete(name);
    return {
      tryLock,
      unlock,
      async withLock(name, limitMs, task) {
        const deadline = performance.now() + limitMs;
        while (!tryLock(name)) {
          if (performance.now() > deadline) throw new Error(`the lock ${name} was not free within ${limitMs} ms`);
          await new Promise((resolve) => setImmediate(resolve));
        }
        try {
          return await task();
        } finally {
          unlock(name);
        }
      },
      die: () => {
        for (const [name, holder] of held) if (holder === thread) held.delete(name);
      },
    };
  }
}
