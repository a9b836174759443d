import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { RequestHeaders } from '../harper/http.ts';

/** Whether the request may skip the cache: it carries `ingress.skipToken`, which is compared in constant time. */
export function maySkipCache(headers: RequestHeaders, { ingress }: Pick<Config, 'ingress'>): boolean {
  if (ingress.skipToken === '') return false;
  const given = headers.get(ingress.skipHeader);
  return typeof given === 'string' && given !== '' && timingSafeEqual(digest(given), digest(ingress.skipToken));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
