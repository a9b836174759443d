import type { Blobs } from './blobs.ts';
import type { HttpHandler } from './http.ts';
import type { RecordAnalytics } from './analytics.ts';

/** What Harper's LMDB store of a table offers beyond the Resource API. */
export interface HarperStore {
  getEntry(id: string): { value: unknown; version: number } | undefined;
  resetReadTxn(): void;
  tryLock(key: string, onFree?: () => void): boolean;
  unlock(key: string): void;
  getUserSharedBuffer(key: string, initial: ArrayBuffer): ArrayBuffer;
}

/** A subscription's event; `value` is missing for a deletion. */
export interface HarperEvent {
  readonly type: string;
  readonly id: string;
  readonly value?: unknown;
}

/** The static side of a Harper table class, as far as it is used here. */
export interface HarperTable {
  readonly primaryStore: HarperStore;
  put(row: object, context?: object): Promise<void>;
  patch(id: string, part: object, context?: object): Promise<void>;
  delete(id: string, context?: object): Promise<boolean>;
  search(query: object, context?: object): AsyncIterable<unknown>;
  subscribe(request: object): Promise<AsyncIterable<HarperEvent> & { end?(): void; return?(): unknown }>;
  getRecordCount(): Promise<{ recordCount: number }>;
  setResidencyById(owners: (id: string) => string[]): void;
}

export interface HarperNode {
  readonly name?: string;
}

/** Harper's `server` global, as far as it is used here. */
export interface HarperServer {
  /** Undefined on the main thread, where plugin code is evaluated too. */
  readonly workerIndex?: number;
  readonly hostname: string;
  readonly nodes: readonly HarperNode[];
  readonly config?: {
    readonly http?: { readonly port?: number | string | null; readonly securePort?: number | string | null };
    /** Directory that apps are deployed to. */
    readonly componentsRoot?: string;
    readonly authentication?: { readonly authorizeLocal?: unknown };
  };
  http(handler: HttpHandler, options?: { runFirst?: boolean }): void;
  recordAnalytics: RecordAnalytics;
}

interface HarperGlobals {
  readonly server: HarperServer;
  readonly databases: Readonly<Record<string, Readonly<Record<string, HarperTable>> | undefined>>;
  readonly logger: Readonly<Record<'error' | 'warn' | 'info' | 'debug', (message: string) => void>>;
  readonly createBlob: (content: Buffer) => Blob;
  readonly transaction: <T>(task: (context: object) => Promise<T>) => Promise<T>;
}

/** Harper's globals, which exist only in code that Harper has loaded. */
export function harperGlobals(): HarperGlobals {
  return globalThis as unknown as HarperGlobals;
}

/** Blobs of Harper. */
export function createBlobs(): Blobs {
  return {
    create: (content) => harperGlobals().createBlob(content),
    read: async (blob) => Buffer.from(await blob.arrayBuffer()),
  };
}
