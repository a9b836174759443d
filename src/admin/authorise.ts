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
