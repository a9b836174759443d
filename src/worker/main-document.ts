import type { HTTPResponse, Page } from 'puppeteer-core';

/** One hop of the main document's way: a redirect, or the answer it ended with. */
export interface Hop {
  url: string;
  status: number;
  /** Absolute target of a redirect, or null. */
  location: string | null;
}

/** What the main frame has received. */
export interface MainDocument {
  /** Redirects of the first navigation, in order. */
  hops(): readonly Hop[];
  /** The last answer that was no redirect, or null. */
  response(): HTTPResponse | null;
  /** Epoch ms when that answer was received. */
  receivedAt(): number | null;
  /** Documents received so far: more than one when the page moved itself. */
  count(): number;
  /** Resolves with the first answer that was no redirect. */
  readonly received: Promise<HTTPResponse>;
}

/** Watches the documents of a page's main frame. */
export function watchMainDocument(page: Page, now: () => number): MainDocument {
  const hops: Hop[] = [];
  let last: HTTPResponse | null = null;
  let receivedAt: number | null = null;
  let count = 0;
  let resolveReceived: (response: HTTPResponse) => void;
  const received = new Promise<HTTPResponse>((resolve) => (resolveReceived = resolve));
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    const location = isRedirect(response.status()) ? response.headers().location : undefined;
    if (location !== undefined && location !== '') {
      if (count === 0)
        hops.push({ url: response.url(), status: response.status(), location: absolute(location, response.url()) });
      return;
    }
    last = response;
    receivedAt = now();
    count++;
    resolveReceived(response);
  });
  return { hops: () => hops, response: () => last, receivedAt: () => receivedAt, count: () => count, received };
}

/**
 * Where a chain of redirects leads: behind a permanent first hop, as far as the hops stay permanent (what follows may be
 * a login or a consent page of the moment); behind a temporary one, to its end.
 */
export function redirectTarget(hops: readonly Hop[], finalUrl: string): string {
  const temporary = hops.findIndex((hop) => !isPermanent(hop.status));
  if (temporary <= 0) return finalUrl;
  return hops[temporary]?.url ?? finalUrl;
}

function isPermanent(status: number): boolean {
  return status === 301 || status === 308;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function absolute(location: string, base: string): string | null {
  return URL.canParse(location, base) ? new URL(location, base).href : null;
}
