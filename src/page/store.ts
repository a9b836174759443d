import type { Entry, Table } from '../harper/table.ts';
import type { PrerenderedPage } from './page.ts';

/** The only reader and writer of the PrerenderedPage table. */
export interface PageTable {
  /** The row as this node has it, synchronously. */
  find(cacheKey: string): Entry<PrerenderedPage> | undefined;
  put(page: PrerenderedPage): Promise<void>;
  patch(cacheKey: string, part: Partial<PrerenderedPage>): Promise<void>;
  remove(cacheKeys: readonly string[]): Promise<void>;
  /** Keys of all pages of a canonical URL, whatever their device. */
  keysOf(url: string): Promise<string[]>;
  /** Up to `limit` keys that come after `after`, in order. */
  keysAfter(after: string, limit: number): Promise<string[]>;
}

export function createPageTable(table: Table<PrerenderedPage>): PageTable {
  return {
    find: (cacheKey) => table.entry(cacheKey),
    put: (page) => table.put(page),
    patch: (cacheKey, part) => table.patch(cacheKey, part),
    remove: (cacheKeys) => table.write([], cacheKeys),
    async keysOf(url) {
      const keys: string[] = [];
      const pages = table.search({
        // A canonical URL has no `|`, so that this prefix is the URL's own pages and no other's.
        conditions: [{ attribute: 'cacheKey', comparator: 'starts_with', value: `${url}|` }],
        select: ['cacheKey'],
      });
      for await (const { cacheKey } of pages) keys.push(cacheKey);
      return keys;
    },
    async keysAfter(after, limit) {
      const keys: string[] = [];
      const pages = table.search({
        conditions: [{ attribute: 'cacheKey', comparator: 'greater_than', value: after }],
        sort: { attribute: 'cacheKey' },
        select: ['cacheKey'],
        limit,
      });
      for await (const { cacheKey } of pages) keys.push(cacheKey);
      return keys;
    },
  };
}
