import type { Config } from '../config/schema.ts';
import type { ResponseHeaders } from '../harper/http.ts';

/**
 * Tells caches in front not to hand an answer for crawlers to people, nor the origin's bare page to crawlers once it is
 * rendered. Both options empty: the caches decide by what else the answer says.
 */
export function setCacheHeaders(headers: ResponseHeaders, { page }: Pick<Config, 'page'>): void {
  if (page.cacheControl !== '') headers['cache-control'] = page.cacheControl;
  if (page.cdnCacheControl !== '') headers['cdn-cache-control'] = page.cdnCacheControl;
}

/** What a page varies by: encoding and device. Not User-Agent, which would keep one copy per crawler version (docs/serving.md). */
export function varyOfPages({ ingress }: Pick<Config, 'ingress'>): string {
  return `accept-encoding, ${ingress.deviceHeader}`;
}

/** Adds names to a Vary header, each once. */
export function mergeVary(existing: string | undefined, added: string): string {
  if (existing === undefined || existing.trim() === '') return added;
  if (existing.includes('*')) return '*';
  const present = new Set(
    existing
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const missing = added.split(', ').filter((name) => !present.has(name));
  return [existing, ...missing].join(', ');
}
