/**
 * Typed access to one Harper table: what the stores of the domain folders use, and what tests replace by one in memory.
 */

export type Comparator =
  'equals' | 'not_equal' | 'greater_than' | 'greater_than_equal' | 'less_than' | 'less_than_equal' | 'starts_with';

export interface Condition {
  readonly attribute: string;
  readonly comparator: Comparator;
  readonly value: string | number | boolean | null;
}

export interface Query {
  readonly conditions?: readonly Condition[];
  readonly operator?: 'and' | 'or';
  readonly sort?: { readonly attribute: string; readonly descending?: boolean };
  readonly select?: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
}

/** A row as stored on this node, with the version that changes with each write. */
export interface Entry<Row> {
  readonly value: Row;
  /** Changes whenever the row is written, on any node. */
  readonly version: number;
}

export interface Table<Row extends object> {
  /** The row as this node has it, synchronously (about a microsecond), never from another node. */
  entry(id: string): Entry<Row> | undefined;
  /**
   * Makes the following `entry` calls see all that any thread has committed until now: within one turn of the event loop
   * reads share a snapshot. Call it after taking a lock.
   */
  refresh(): void;
  /** The row as this node has it; `undefined` when it has none. Never asks another node. */
  get(id: string): Promise<Row | undefined>;
  /** Writes the whole row. Resolves when it is committed on this node. */
  put(row: Row): Promise<void>;
  /** Writes several rows (and deletes ids) in one transaction of this table's database; keep it to about 200. */
  write(rows: readonly Row[], deletions?: readonly string[]): Promise<void>;
  /** Merges attributes into the row, creating it when missing. */
  patch(id: string, part: Partial<Row>): Promise<void>;
  delete(id: string): Promise<void>;
  /** Rows of this node. Collect and close before writing: never write inside an open cursor. */
  search(query: Query): AsyncIterable<Row>;
  /** Estimate, without a scan. */
  count(): Promise<number>;
  /** Calls `listener` for each committed write on any node, from now on. Returns how to stop. */
  subscribe(listener: (id: string, row: Row | undefined) => void): Promise<() => void>;
  /** Binds each row to nodes by its id (design.md §4). Call once per thread, before the first write. */
  setResidencyById(owners: (id: string) => readonly string[]): void;
}

/** Mutual exclusion over the threads of this node; freed when the holder's thread exits. */
export interface Locks {
  /** Takes the lock or answers `false` at once. Not reentrant. */
  tryLock(name: string): boolean;
  unlock(name: string): void;
  /**
   * Runs `task` holding the lock, waiting at most `limitMs` for it.
   * @throws Error when the lock was not free in time.
   */
  withLock<T>(name: string, limitMs: number, task: () => T | Promise<T>): Promise<T>;
}

/** One buffer per name, shared by all threads of this node. It keeps the size of its first opening. */
export interface SharedBuffers {
  open(name: string, bytes: number): ArrayBuffer | SharedArrayBuffer;
}
