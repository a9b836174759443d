import { PrerenderError } from '../errors.ts';
import type { HostAllowList, Scheme } from '../url/host.ts';
import type { UrlLocator } from '../url/locate-url.ts';
import { filterRawQuery } from '../url/query-filter.ts';
import { UNCLASSIFIED, type BotTarget } from './bot-target.ts';

/** `http://` of which a proxy in front has merged the slashes. */
const MERGED_SLASHES = /^(https?):\/(?!\/)/i;
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;
/** Where the host of an absolute URL ends, also by the URL parser's reading of a backslash. */
const AFTER_SCHEME = /^[a-z]+:[/\\]*[^/\\?#]*/i;

/** The path and query of a request target; of an absolute-form one, too. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const form = target.replace(ABSOLUTE_FORM, '');
  return form.startsWith('/') ? form : `/${form}`;
}

/**
 * Reads the absolute URL that a request names.
 * @throws PrerenderError URL_INVALID, NO_DOMAINS or HOST_NOT_SERVED; nothing has been asked by then.
 */
export function readTarget(spelled: string, locate: UrlLocator, hosts: HostAllowList): BotTarget {
  const absolute = spelled.replace(MERGED_SLASHES, '$1://');
  const found = locate(absolute);
  if (!found.ok) throw new PrerenderError('URL_INVALID', { reason: found.reason });
  if (hosts.empty) throw new PrerenderError('NO_DOMAINS');
  if (!hosts.allows(found.host)) throw new PrerenderError('HOST_NOT_SERVED', { host: found.host });
  return {
    url: found.url,
    scheme: schemeOf(found.origin),
    host: found.host,
    route: found.route,
    routeName: found.route?.name ?? UNCLASSIFIED,
    originPath: originPathOf(absolute, found.route?.queryParams ?? ['*']),
  };
}

function schemeOf(origin: string): Scheme {
  return origin.startsWith('https:') ? 'https' : 'http';
}

function originPathOf(absolute: string, queryParams: readonly string[]): string {
  const afterHost = absolute.replace(AFTER_SCHEME, '');
  const fragmentAt = afterHost.indexOf('#');
  const raw = fragmentAt === -1 ? afterHost : afterHost.slice(0, fragmentAt);
  const queryAt = raw.indexOf('?');
  const path = queryAt === -1 ? raw : raw.slice(0, queryAt);
  const query = queryAt === -1 ? '' : filterRawQuery(raw.slice(queryAt + 1), queryParams);
  // A backslash that the URL parser took for the path's first slash is one.
  const rooted = path.startsWith('/') ? path : `/${path.replace(/^\\/, '')}`;
  return query === '' ? rooted : `${rooted}?${query}`;
}
