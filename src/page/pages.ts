import type { ConfigSource } from '../config/schema.ts';
import { PrerenderError } from '../errors.ts';
import type { Blobs } from '../harper/blobs.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Table } from '../harper/table.ts';
import { cacheKey } from '../url/cache-key.ts';
import { createPageBodies, type PageBodies } from './bodies.ts';
import { compressForStore, isWholeGzip } from './encodings.ts';
import { hashBody } from './etag.ts';
import { isPastErrorTtl } from './freshness.ts';
import type { PageStore, PageWrite, PrerenderedPage } from './page.ts';
import { createPageTable, type PageTable } from './store.ts';
import { selectStoredHeaders } from './stored-headers.ts';

/** Stored pages: what the queue writes and the bot request reads. */
export interface Pages extends PageStore {
  readonly bodies: PageBodies;
  /** Up to `limit` cache keys after `after`, in order, for jobs that go through all pages. */
  keysAfter(after: string, limit: number): Promise<string[]>;
}

export interface PagesDeps {
  readonly table: Table<PrerenderedPage>;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly config: ConfigSource;
  readonly logger: Logger;
}

/** Builds the service. `store` rejects with BODY_TOO_LARGE for a body above `page.maxBodyBytes`. */
export function createPages(deps: PagesDeps): Pages {
  const rows = createPageTable(deps.table);
  return {
    bodies: createPageBodies(deps),
    find: (key) => rows.find(key),
    keysAfter: (after, limit) => rows.keysAfter(after, limit),
    store: (page) => storePage(deps, rows, page),
    recordFailure: (url, deviceType) => recordFailure(deps, rows, cacheKey(url, deviceType)),
    async expire(url, by) {
      const keys = await rows.keysOf(url);
      await Promise.all(keys.map((key) => rows.patch(key, { expiresAt: 0, expiredBy: by })));
    },
    async remove(url) {
      const keys = await rows.keysOf(url);
      if (keys.length > 0) await rows.remove(keys);
      return keys.length;
    },
  };
}

async function storePage(deps: PagesDeps, rows: PageTable, page: PageWrite): Promise<void> {
  const limit = deps.config.current().page.maxBodyBytes;
  if (page.html.length > limit) throw new PrerenderError('BODY_TOO_LARGE', { limit });
  const key = cacheKey(page.url, page.deviceType);
  const bodyHash = hashBody(page.html);
  const content = deps.blobs.create(await gzippedBody(page));
  const before = rows.find(key)?.value;
  const now = deps.clock.now();
  await rows.put({
    cacheKey: key,
    statusCode: page.statusCode,
    headers: selectStoredHeaders(page.headers),
    content,
    bodyHash,
    fetchedAt: page.fetchedAt,
    lastModified: before?.bodyHash === bodyHash ? before.lastModified : now,
    lastCached: now,
    expiresAt: page.expiresAt,
    expiredBy: null,
    isIndexable: page.isIndexable,
    canonical: page.canonical,
    bodyBytes: page.html.length,
    failures: 0,
  });
}

/** The worker's own gzip is kept, when its trailer fits: several members in a row would not be told from a torn file. */
async function gzippedBody({ html, gzipped }: PageWrite): Promise<Buffer> {
  return gzipped && isWholeGzip(gzipped, html.length) ? gzipped : compressForStore(html);
}

async function recordFailure(deps: PagesDeps, rows: PageTable, key: string): Promise<'kept' | 'evicted' | 'none'> {
  const page = rows.find(key)?.value;
  if (page === undefined) return 'none';
  const { page: options } = deps.config.current();
  const failures = page.failures + 1;
  if (failures >= options.maxFailures && isPastErrorTtl(page, deps.clock.now(), options)) {
    await rows.remove([key]);
    return 'evicted';
  }
  await rows.patch(key, { failures });
  return 'kept';
}
