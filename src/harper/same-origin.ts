import { PrerenderError } from '../errors.ts';
import type { HttpRequest } from './http.ts';

/**
 * Guards actions against requests that another site makes in an operator's browser, which sends Harper's session cookie
 * (`SameSite=None`) and remembered Basic credentials with those too. A browser names the origin of such a request; without
 * an Origin header only a request that carries no session passes: that is a program.
 * @throws PrerenderError CROSS_SITE_REFUSED
 */
export function requireSameOrigin({ headers }: HttpRequest): void {
  const origin = headers.get('origin');
  const usesSession = Boolean(headers.get('cookie')) && !headers.get('authorization');
  if (!origin) {
    if (usesSession) throw new PrerenderError('CROSS_SITE_REFUSED', { reason: 'the Origin header is missing' });
    return;
  }
  const host = headers.get('host');
  if (!URL.canParse(origin) || new URL(origin).host !== host) {
    throw new PrerenderError('CROSS_SITE_REFUSED', { reason: `Origin is not ${host ?? 'this host'}` });
  }
}
