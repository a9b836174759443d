import type { Entry } from '../harper/table.ts';

/** Row of the PrerenderedPage table (schema.graphql). Times are epoch ms. */
export interface PrerenderedPage {
  cacheKey: string;
  statusCode: number;
  headers: Record<string, string>;
  content: Blob;
  /** Hash of the uncompressed body; with the device it makes the ETag. */
  bodyHash: string;
  fetchedAt: number;
  /** When a render first had this body: Last-Modified. */
  lastModified: number;
  lastCached: number;
  /** When the next render is due; 0: expired by force. */
  expiresAt: number;
  expiredBy: ExpiredBy | null;
  isIndexable: boolean;
  canonical: string | null;
  /** Bytes of the body before compression. */
  bodyBytes: number;
  /** Failed renders in a row since this body. */
  failures: number;
}

export type ExpiredBy = 'probe' | 'departure' | 'move' | 'operator';

/** A rendered page to store. */
export interface PageWrite {
  readonly url: string;
  readonly deviceType: string;
  readonly statusCode: number;
  /** Response headers of the render; only those of the page's allow-list are kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** Uncompressed body. */
  readonly html: Buffer;
  /** The same body as one gzip member, when there is one already. */
  readonly gzipped?: Buffer;
  readonly fetchedAt: number;
  readonly expiresAt: number;
  readonly isIndexable: boolean;
  readonly canonical: string | null;
}

/** Stored pages, as the queue uses them. */
export interface PageStore {
  /** Stores the page, keeping `lastModified` when the body is the same as before. */
  store(page: PageWrite): Promise<void>;
  /** The row as this node has it, synchronously. */
  find(cacheKey: string): Entry<PrerenderedPage> | undefined;
  /** Counts a failed render; evicts the page when `page.maxFailures` and `page.staleIfErrorTtl` are both exceeded. */
  recordFailure(url: string, deviceType: string): Promise<'kept' | 'evicted' | 'none'>;
  /** Expires the URL's pages by force, all devices. */
  expire(url: string, by: ExpiredBy): Promise<void>;
  /** Removes the URL's pages, all devices (those of devices no longer configured too). Resolves to how many there were. */
  remove(url: string): Promise<number>;
}
