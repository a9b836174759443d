import { isStorableKey } from '../url/cache-key.ts';
import type { CanonicalComparison } from '../url/canonical-comparison.ts';
import { canonicalLinks } from '../url/link-header.ts';
import { isPrerendered, type BotRequest } from './bot-request.ts';
import type { NotCandidate } from './discovery-verdict.ts';
import { headerText } from './origin/response-headers.ts';
import { isMarkedPrivate } from './origin/shareable.ts';
import type { Resource } from './resource.ts';
import { saysNoindex } from './robots-header.ts';

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** Why the request cannot add a URL by what it is, before anybody is asked; undefined: it may. */
export function requestHindrance(
  resource: Resource,
  request: BotRequest,
  /** A page that is gone and whose stored answer has run out is looked at again, like one that is not there. */
  isGone = false,
): NotCandidate | undefined {
  if (request.own) return 'own-request';
  if (request.http.method !== 'GET') return 'method';
  if (!isPrerendered(request)) return 'route-mode';
  if (!isStorableKey(request.cacheKey)) return 'key-too-long';
  if (resource.cacheStatus !== 'miss' && !(isGone && resource.cacheStatus === 'stale')) return 'no-miss';
  return undefined;
}

/** Why the origin's answer is no page to render: only a 200 of HTML that does not point elsewhere is one. */
export function answerHindrance(
  resource: Resource,
  request: BotRequest,
  compareCanonical: CanonicalComparison,
): NotCandidate | undefined {
  if (resource.source !== 'origin') return 'no-answer';
  const { status, headers } = resource.answer;
  if (status !== 200) return 'status';
  if (!HTML.test(headerText(headers, 'content-type') ?? '')) return 'content-type';
  if (saysNoindex(headers['x-robots-tag'])) return 'noindex';
  const { url, route } = request.target;
  const declared = canonicalLinks(headerText(headers, 'link'));
  if (declared.some((canonical) => compareCanonical(canonical, url, route?.queryParams ?? ['*']) === 'elsewhere')) {
    return 'canonical';
  }
  if (request.config.discovery.respectNoStore && isMarkedPrivate(headers)) return 'no-store';
  return undefined;
}
