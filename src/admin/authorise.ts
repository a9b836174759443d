import { PrerenderError } from '../errors.ts';
import type { HttpRequest } from '../harper/http.ts';

/**
 * Lets super users pass.
 * @throws PrerenderError AUTHENTICATION_REQUIRED when anonymous, ROLE_REQUIRED for any other user.
 */
export function requireSuperUser(request: HttpRequest): string {
  const { user } = request;
  if (!user) throw new PrerenderError('AUTHENTICATION_REQUIRED');
  if (user.role?.permission?.super_user !== true) throw new PrerenderError('ROLE_REQUIRED', { role: 'a super user' });
  return user.username;
}

/**
 * Guards actions against requests that another site makes in an operator's browser: Harper's session cookie is sent
 * with those too (`SameSite=None`). A request with a cookie has to come from this origin; one with its own credentials
 * cannot be forged.
 * @throws PrerenderError CROSS_SITE_REFUSED
 */
export function requireSameOrigin(request: HttpRequest): void {
  const usesSession = Boolean(request.headers.get('cookie')) && !request.headers.get('authorization');
  if (!usesSession) return;
  const origin = request.headers.get('origin');
  if (!origin) throw new PrerenderError('CROSS_SITE_REFUSED', { reason: 'the Origin header is missing' });
  const host = request.headers.get('host');
  if (!URL.canParse(origin) || new URL(origin).host !== host) {
    throw new PrerenderError('CROSS_SITE_REFUSED', { reason: `Origin is not ${host ?? 'this host'}` });
  }
}
