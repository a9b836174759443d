import { createHash } from 'node:crypto';
import type { HTTPRequest, Page } from 'puppeteer-core';

/** Requests that the content of a page does not wait for. */
const NEVER_HOLDS = new Set([
  'image',
  'media',
  'font',
  'texttrack',
  'eventsource',
  'websocket',
  'ping',
  'prefetch',
  'manifest',
  'cspviolationreport',
  'preflight',
  'signedexchange',
  'other',
]);

/** The same request, answered so often with no change of the DOM, is a beacon or a poll. */
const REPEATS_OF_A_BEACON = 3;

/** What a page's network does, as far as its content may wait for it. */
export interface NetworkActivity {
  /** Requests that hold the page at this moment. */
  holding(now: number): number;
  /** Ms since a holding request last began or ended. */
  quietFor(now: number): number;
  /** Tells the number of DOM changes seen so far. */
  noteDom(version: number): void;
  /** URLs of the page's own scripts that failed: 5xx or no connection. */
  failedScripts(): readonly string[];
}

interface Repeats {
  answered: number;
  domVersion: number;
}

/**
 * Watches the requests of a page. A request older than `holdMs` (long polling) and a beacon (the same method, URL and
 * body again and again without effect on the DOM) hold nothing.
 */
export function watchNetwork(page: Page, ownOrigin: string, holdMs: number, now: () => number): NetworkActivity {
  const open = new Map<HTTPRequest, number>();
  const repeats = new Map<string, Repeats>();
  const failed: string[] = [];
  let lastActivity = now();
  let domVersion = 0;

  const keyOf = (request: HTTPRequest): string =>
    createHash('sha1')
      .update(`${request.method()} ${request.url()} ${request.postData() ?? ''}`)
      .digest('base64');
  const isBeacon = (request: HTTPRequest): boolean => {
    const known = repeats.get(keyOf(request));
    return known !== undefined && known.answered >= REPEATS_OF_A_BEACON && known.domVersion === domVersion;
  };
  const ended = (request: HTTPRequest): void => {
    if (!open.delete(request)) return;
    lastActivity = now();
    const key = keyOf(request);
    const known = repeats.get(key);
    repeats.set(key, {
      answered: known?.domVersion === domVersion ? known.answered + 1 : 1,
      domVersion,
    });
  };
  const isOwnScript = (request: HTTPRequest): boolean =>
    request.resourceType() === 'script' && request.url().startsWith(`${ownOrigin}/`);

  page.on('request', (request) => {
    if (NEVER_HOLDS.has(request.resourceType()) || isBeacon(request)) return;
    open.set(request, now());
    lastActivity = now();
  });
  // At the response: Chromium aborts the body of a script whose status is an error.
  page.on('response', (response) => {
    if (isOwnScript(response.request()) && response.status() >= 500) failed.push(response.url());
  });
  page.on('requestfinished', ended);
  page.on('requestfailed', (request) => {
    ended(request);
    const why = request.failure()?.errorText ?? '';
    if (isOwnScript(request) && !/ABORTED|BLOCKED/.test(why)) failed.push(request.url());
  });

  return {
    holding: (at) => [...open.values()].filter((since) => at - since < holdMs).length,
    quietFor: (at) => at - lastActivity,
    noteDom: (version) => void (domVersion = version),
    failedScripts: () => failed,
  };
}
