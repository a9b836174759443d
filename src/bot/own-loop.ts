import type { Config } from '../config/schema.ts';
import type { RequestHeaders } from '../harper/http.ts';

/** Product token in the user agents of the render worker and of origin fetches. */
export const OWN_PRODUCT = 'HarperPrerender';

/**
 * What shows that a request has passed this service already: our name in CDN-Loop (RFC 8586), or our own user agent together
 * with the bypass header that the shop's CDN should have let through to the origin. Undefined when nothing does.
 */
export function loopEvidence(
  headers: RequestHeaders,
  ownUserAgent: boolean,
  { origin }: Pick<Config, 'origin'>,
): string | undefined {
  const loop = headers.get('cdn-loop');
  if (loop && namesUs(loop, origin.cdnLoopName.toLowerCase())) return 'CDN-Loop names it';
  if (ownUserAgent && headers.get(origin.bypassHeader)) return 'its own user agent with its bypass header';
  return undefined;
}

function namesUs(loop: string, name: string): boolean {
  return loop.split(',').some((entry) => (entry.split(';', 1)[0] ?? '').trim().toLowerCase() === name);
}
