import type { ErrorCode, HTTPRequest, Page } from 'puppeteer-core';
import { PrerenderError } from '../errors.ts';
import type { AddressPolicy } from './address-policy.ts';

/** What the guard needs to judge a page's requests. */
export interface GuardParts {
  policy: AddressPolicy;
  /** Origin of the job's URL: the only one that gets `ownHeaders`. */
  ownOrigin: string;
  /** The job's headers (bypass token). */
  ownHeaders: Readonly<Record<string, string>>;
  /** Resource types that are not downloaded. */
  blockedTypes: ReadonlySet<string>;
}

/** Guards one page. */
export interface RequestGuard {
  /** Why the main document was refused, or null. */
  refusal(): PrerenderError | null;
}

/** Headers that a job cannot set: the connection's. */
const UNSETTABLE = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te']);

/** An empty picture, so that a page's `onerror` handlers do not rewrite it. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/**
 * Intercepts every request of a page, each hop of a redirect too: only http(s) to addresses that the policy allows; the
 * job's headers go to the page's own origin and no other; what the page's HTML does not need is not downloaded.
 */
export async function guardPage(page: Page, parts: GuardParts): Promise<RequestGuard> {
  let refused: PrerenderError | null = null;
  const ownHeaders = Object.entries(parts.ownHeaders)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !UNSETTABLE.has(name));
  page.on('request', (request) => {
    const isMain = request.isNavigationRequest() && request.frame() === page.mainFrame();
    decide(request, isMain, parts, ownHeaders).catch(async (error: unknown) => {
      if (isMain && error instanceof PrerenderError) refused = error;
      // The page may be gone already; then there is nothing left to refuse.
      await request.abort(abortCode(error)).catch(() => undefined);
    });
  });
  await page.setRequestInterception(true);
  await page.setBypassServiceWorker(true);
  return { refusal: () => refused };
}

async function decide(
  request: HTTPRequest,
  isMain: boolean,
  parts: GuardParts,
  ownHeaders: readonly (readonly [string, string])[],
): Promise<void> {
  const url = new URL(request.url());
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    if (isMain || (url.protocol !== 'data:' && url.protocol !== 'blob:'))
      throw new PrerenderError('URL_INVALID', { reason: `the scheme ${url.protocol} is not http or https` });
    return request.continue();
  }
  const type = request.resourceType();
  if (parts.blockedTypes.has(type) && !isMain) {
    if (type !== 'image') return request.abort('blockedbyclient');
    return request.respond({ status: 200, contentType: 'image/gif', body: PIXEL });
  }
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443));
  await parts.policy.resolve(url.hostname, port);
  const scheme = parts.policy.mappedScheme(url.hostname, port);
  const rewritten = scheme !== null && `${scheme}:` !== url.protocol;
  const isOwn = url.origin === parts.ownOrigin;
  if (!rewritten && !(isOwn && ownHeaders.length > 0)) return request.continue();
  const headers = { ...request.headers() };
  if (isOwn) for (const [name, value] of ownHeaders) headers[name] = value;
  if (rewritten) headers['x-forwarded-proto'] = url.protocol.slice(0, -1);
  await request.continue({ headers, ...(rewritten && { url: withScheme(request.url(), scheme) }) });
}

/** Only the scheme's letters change; the page does not notice. */
function withScheme(url: string, scheme: string): string {
  return scheme + url.slice(url.indexOf(':'));
}

function abortCode(error: unknown): ErrorCode {
  if (!(error instanceof PrerenderError)) return 'failed';
  return error.code === 'ORIGIN_UNREACHABLE' ? 'namenotresolved' : 'blockedbyclient';
}
