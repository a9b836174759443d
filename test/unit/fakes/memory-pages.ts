import type { PageStore, PageWrite, PrerenderedPage } from '../../../src/page/page.ts';

/** A `PageStore` in memory that keeps what was stored, as text. */
export class MemoryPages implements PageStore {
  readonly stored = new Map<string, PageWrite & { failures: number }>();
  readonly failures: string[] = [];

  async store(page: PageWrite): Promise<void> {
    this.stored.set(`${page.url}|${page.deviceType}`, { ...page, failures: 0 });
  }

  find(key: string): { value: PrerenderedPage; version: number } | undefined {
    const page = this.stored.get(key);
    if (!page) return undefined;
    const { url: _url, deviceType: _device, html, ...rest } = page;
    const value: PrerenderedPage = {
      ...rest,
      headers: { ...page.headers },
      cacheKey: key,
      content: new Blob([new Uint8Array(html)]),
      bodyHash: '',
      lastModified: page.fetchedAt,
      lastCached: page.fetchedAt,
      expiredBy: null,
      bodyBytes: html.length,
    };
    return { value, version: 1 };
  }

  async recordFailure(url: string, deviceType: string): Promise<'kept' | 'evicted' | 'none'> {
    this.failures.push(`${url}|${deviceType}`);
    const page = this.stored.get(`${url}|${deviceType}`);
    if (page) page.failures++;
    return page ? 'kept' : 'none';
  }

  async expire(): Promise<void> {}

  async remove(url: string): Promise<number> {
    const keys = [...this.stored.keys()].filter((key) => key.slice(0, key.lastIndexOf('|')) === url);
    for (const key of keys) this.stored.delete(key);
    return keys.length;
  }

  /** Cache keys, in order. */
  keys(): string[] {
    return [...this.stored.keys()].sort();
  }
}
