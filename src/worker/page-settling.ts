import type { Page } from 'puppeteer-core';
import type { NetworkActivity } from './network-activity.ts';

/** When a page counts as done; all in ms. */
export interface SettleRules {
  quiet: number;
  domQuiet: number;
  /** Since the document was parsed. */
  max: number;
  /** Selectors that must be there first. */
  selectors: readonly string[];
}

/** What a look at the page tells. */
export interface PageLook {
  /** The document is parsed. */
  parsed: boolean;
  loaded: boolean;
  /** `window.prerenderReady`: null when the page does not set it. */
  ready: boolean | null;
  /** DOM changes so far. */
  dom: number;
  /** Required selectors that are missing. */
  missing: readonly string[];
}

/** Runs in every new document: counts changes of the top document, and closes ways out that a render never needs. */
export const PAGE_PREAMBLE = `(() => {
  window.open = () => null;
  delete window.RTCPeerConnection;
  delete window.webkitRTCPeerConnection;
  if (window !== window.top) return;
  let changes = 0;
  new MutationObserver(() => { changes++; }).observe(document, { childList: true, subtree: true, characterData: true });
  Object.defineProperty(window, '__harperPrerenderChanges', { get: () => changes });
})()`;

const LOOK_EVERY_MS = 100;

/**
 * Waits until the page is done: `window.prerenderReady` is true; or, when the page does not set it, it is loaded and the
 * network and the DOM are quiet, or `max` has passed with no first request open. Required selectors must be there
 * in any case. A page that says `prerenderReady = false` is waited for until `signal` ends it. Rejects with the signal's reason.
 */
export async function waitUntilSettled(
  page: Page,
  activity: NetworkActivity,
  rules: SettleRules,
  signal: AbortSignal,
  now: () => number,
): Promise<void> {
  const judge = createSettleJudge(rules);
  for (;;) {
    signal.throwIfAborted();
    const look = await lookAt(page, rules.selectors);
    const at = now();
    if (look !== null) {
      activity.noteDom(look.dom);
      if (judge(look, { holding: activity.holding(at), quietFor: activity.quietFor(at) }, at)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** The decision alone: a function of one look after the other that says whether the page is done. */
export function createSettleJudge(
  rules: SettleRules,
): (look: PageLook, network: { holding: number; quietFor: number }, at: number) => boolean {
  let parsedAt: number | null = null;
  let domChangedAt: number | null = null;
  let dom = -1;
  return (look, network, at) => {
    if (look.dom !== dom) {
      dom = look.dom;
      domChangedAt = at;
    }
    if (!look.parsed) return false;
    parsedAt ??= at;
    if (look.missing.length > 0 || look.ready === false) return false;
    if (look.ready === true) return true;
    if (network.holding > 0) return false;
    if (at - parsedAt >= rules.max) return true;
    return look.loaded && network.quietFor >= rules.quiet && at - (domChangedAt ?? at) >= rules.domQuiet;
  };
}

/** The script of a look: its value is a PageLook. A selector that is none counts as missing; the page may also have its own `querySelector`. */
export function lookScript(selectors: readonly string[]): string {
  return `(() => {
    const isMissing = (selector) => {
      try { return document.querySelector(selector) === null; } catch { return true; }
    };
    return {
      parsed: document.readyState !== 'loading',
      loaded: document.readyState === 'complete',
      ready: typeof window.prerenderReady === 'boolean' ? window.prerenderReady : null,
      dom: window.__harperPrerenderChanges || 0,
      missing: ${JSON.stringify(selectors)}.filter(isMissing),
    };
  })()`;
}

/** Null while the page moves to another document. */
async function lookAt(page: Page, selectors: readonly string[]): Promise<PageLook | null> {
  try {
    return (await page.evaluate(lookScript(selectors))) as PageLook;
  } catch (error) {
    if (error instanceof Error && /context|detached|navigat/i.test(error.message)) return null;
    throw error;
  }
}
