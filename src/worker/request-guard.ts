import { CDPSessionEvent, type CDPSession, type Page, type Protocol } from 'puppeteer-core';
import { PrerenderError } from '../errors.ts';
import type { AddressPolicy } from './address-policy.ts';

/** What the guard needs to judge a page's requests. */
export interface GuardParts {
  policy: AddressPolicy;
  /** Origin of the job's URL: the only one that gets `ownHeaders`. */
  ownOrigin: string;
  /** The job's headers (bypass token). */
  ownHeaders: Readonly<Record<string, string>>;
  /** Resource types that are not downloaded, in lower case. */
  blockedTypes: ReadonlySet<string>;
}

/** Guards one page. */
export interface RequestGuard {
  /** Why the main document was refused, or null. */
  refusal(): PrerenderError | null;
}

type Paused = Protocol.Fetch.RequestPausedEvent;

/** Headers that a job cannot set: the connection's. */
const UNSETTABLE = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te']);

/** An empty picture, so that a page's `onerror` handlers do not rewrite it. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/**
 * Intercepts every request of a page, its frames and workers, each hop of a redirect too: only http(s) to addresses that the
 * policy allows; the job's headers go to the page's own origin and no other; what the HTML does not need is not downloaded.
 * Spoken over a session of its own: Puppeteer's interception loses requests of workers (it may answer them on the worker's
 * session, which does not know them), and such a page never rests.
 */
export async function guardPage(page: Page, session: CDPSession, parts: GuardParts): Promise<RequestGuard> {
  let refused: PrerenderError | null = null;
  const ownHeaders = Object.entries(parts.ownHeaders).filter(([name]) => !UNSETTABLE.has(name.toLowerCase()));
  const { frameTree } = await session.send('Page.getFrameTree');
  const mainFrame = frameTree.frame.id;

  const watch = async (client: CDPSession): Promise<void> => {
    client.on('Fetch.requestPaused', (event) => {
      const isMain = event.resourceType === 'Document' && event.frameId === mainFrame;
      decide(client, event, isMain, parts, ownHeaders).catch((error: unknown) => {
        if (isMain && error instanceof PrerenderError) refused = error;
        // The page may be gone already; then there is nothing left to refuse.
        client
          .send('Fetch.failRequest', { requestId: event.requestId, errorReason: failure(error) })
          .catch(() => undefined);
      });
    });
    client.on(CDPSessionEvent.SessionAttached, (child) => {
      watch(child)
        .then(() => child.send('Runtime.runIfWaitingForDebugger'))
        .catch(() => undefined);
    });
    await Promise.all([
      client.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      // Frames in processes of their own have sessions of their own, and start when they are watched.
      client.send('Target.setAutoAttach', {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
        filter: [{ type: 'iframe' }],
      }),
    ]);
  };
  await watch(session);
  await page.setBypassServiceWorker(true);
  return { refusal: () => refused };
}

async function decide(
  client: CDPSession,
  event: Paused,
  isMain: boolean,
  parts: GuardParts,
  ownHeaders: readonly (readonly [string, string])[],
): Promise<void> {
  const { requestId, request } = event;
  const url = new URL(request.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    if (isMain || (url.protocol !== 'data:' && url.protocol !== 'blob:'))
      throw new PrerenderError('URL_INVALID', { reason: `the scheme ${url.protocol} is not http or https` });
    await client.send('Fetch.continueRequest', { requestId });
    return;
  }
  const type = event.resourceType.toLowerCase();
  if (parts.blockedTypes.has(type) && !isMain) {
    await (type === 'image'
      ? client.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 200,
          responseHeaders: [
            { name: 'content-type', value: 'image/gif' },
            { name: 'access-control-allow-origin', value: '*' },
          ],
          body: PIXEL,
        })
      : client.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }));
    return;
  }
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443));
  await parts.policy.resolve(url.hostname, port);
  const scheme = parts.policy.mappedScheme(url.hostname, port);
  const rewritten = scheme !== null && `${scheme}:` !== url.protocol;
  const isOwn = url.origin === parts.ownOrigin;
  const added: [string, string][] = rewritten ? [['x-forwarded-proto', url.protocol.slice(0, -1)]] : [];
  if (isOwn) added.push(...ownHeaders.map(([name, value]): [string, string] => [name, value]));
  await client.send('Fetch.continueRequest', {
    requestId,
    ...(added.length > 0 && { headers: withHeaders(request.headers, added) }),
    // Only the scheme's letters change; the page does not notice.
    ...(rewritten && { url: scheme + request.url.slice(request.url.indexOf(':')) }),
  });
}

function withHeaders(
  sent: Readonly<Record<string, string>>,
  added: readonly (readonly [string, string])[],
): Protocol.Fetch.HeaderEntry[] {
  const replaced = new Set(added.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(sent).filter(([name]) => !replaced.has(name.toLowerCase()));
  return [...kept, ...added].map(([name, value]) => ({ name, value }));
}

function failure(error: unknown): Protocol.Network.ErrorReason {
  if (!(error instanceof PrerenderError)) return 'Failed';
  return error.code === 'ORIGIN_UNREACHABLE' ? 'NameNotResolved' : 'BlockedByClient';
}
