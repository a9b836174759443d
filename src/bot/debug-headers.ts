import type { ResponseHeaders } from '../harper/http.ts';
import type { BotRequest } from './bot-request.ts';
import type { DiscoveryVerdict } from './discovery-verdict.ts';
import type { Resource } from './resource.ts';

/** Whether the request asks why it is answered as it is. */
export function wantsDebugHeaders({ http, config }: BotRequest): boolean {
  return Boolean(http.headers.get(config.ingress.debugHeader));
}

/** The `x-prerender-*` headers: why this answer. */
export function debugHeaders(resource: Resource, request: BotRequest, verdict: DiscoveryVerdict): ResponseHeaders {
  const headers: ResponseHeaders = {};
  headers['x-prerender-status'] = resource.cacheStatus;
  headers['x-prerender-source'] = 'shared' in resource && resource.shared ? 'origin-shared' : resource.source;
  headers['x-prerender-key'] = request.cacheKey;
  headers['x-prerender-route'] = visible(request.target.routeName);
  headers['x-prerender-bot'] = visible(request.botName);
  headers['x-prerender-verdict'] = verdictText(verdict);
  if (resource.source !== 'cache') return headers;
  const { row } = resource.page;
  headers['x-prerender-fetched-at'] = timeText(row.fetchedAt);
  headers['x-prerender-expires-at'] = timeText(row.expiresAt);
  return headers;
}

/** What a header may hold of a configured or derived name. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

function verdictText(verdict: DiscoveryVerdict): string {
  if (verdict.kind === 'gated') return `gated: ${verdict.reason}`;
  return verdict.kind === 'not-candidate' ? `not-candidate: ${verdict.why}` : verdict.kind;
}

function timeText(epochMs: number): string {
  const date = new Date(Number(epochMs));
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString();
}
