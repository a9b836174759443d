import { TargetType, type BrowserContext, type CDPSession, type HTTPResponse, type Page } from 'puppeteer-core';
import { describeError } from '../errors.ts';
import type { RenderJob } from '../protocol/job.ts';
import { sameCanonical } from '../url/canonical-comparison.ts';
import type { AddressPolicy } from './address-policy.ts';
import type { DeviceProfile } from './device-profiles.ts';
import { cleanUpHtml } from './html-clean-up.ts';
import { parsePage } from './html-document.ts';
import { redirectTarget, watchMainDocument, type MainDocument } from './main-document.ts';
import { watchNetwork } from './network-activity.ts';
import { pageFacts, type PageFacts } from './page-facts.ts';
import { requiredSelectors, type SelectorRule } from './page-rules.ts';
import { PAGE_PREAMBLE, waitUntilSettled } from './page-settling.ts';
import { judgePage, type GuessRules, type PageVerdict } from './page-verdict.ts';
import { RenderFailure, type RenderPhase } from './render-failure.ts';
import { guardPage, type RequestGuard } from './request-guard.ts';
import type { WorkerSettings } from './settings.ts';

/** A render that came to a verdict. */
export interface PageReport {
  verdict: PageVerdict;
  facts: PageFacts;
  /** Response headers of the document, names lower-case. */
  headers: Readonly<Record<string, string>>;
  /** The cleaned page; null for redirects and errors. */
  html: string | null;
  fetchedAt: number | null;
}

/** What a render needs besides its job. */
export interface RenderParts {
  settings: WorkerSettings;
  policy: AddressPolicy;
  guesses: GuessRules;
  selectorRules: readonly SelectorRule[];
  now: () => number;
}

/** Documents that a page may load one after the other before it counts as a loop. */
const MOST_DOCUMENTS = 10;

/**
 * Renders one job in the context. `signal` ends it at the deadline, also when the page's script never returns.
 * Throws RenderFailure.
 */
export async function renderPage(
  context: BrowserContext,
  job: RenderJob,
  profile: DeviceProfile,
  parts: RenderParts,
  signal: AbortSignal,
): Promise<PageReport> {
  const progress: { phase: RenderPhase; session: CDPSession | null; main: MainDocument | null } = {
    phase: 'open',
    session: null,
    main: null,
  };
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  stopped.catch(() => undefined);
  try {
    const work = renderSteps(context, job, profile, parts, signal, progress);
    work.catch(() => undefined);
    return await Promise.race([work, stopped]);
  } catch (error) {
    if (error instanceof RenderFailure && !error.suspect) throw error;
    // Works while the page's main thread is busy for ever; nobody answers, so nobody waits.
    progress.session?.send('Page.crash').catch(() => undefined);
    throw asFailure(error, signal, progress.phase, progress.main?.response()?.status() ?? 0);
  }
}

function asFailure(error: unknown, signal: AbortSignal, phase: RenderPhase, statusCode: number): RenderFailure {
  if (error instanceof RenderFailure) return error;
  const details = { phase, statusCode, suspect: true, cause: error };
  if (signal.aborted)
    return new RenderFailure(
      'DeadlineExceeded',
      `stopped while it was in the phase ${phase}: ${describeError(error)}`,
      {
        ...details,
        reason: phase === 'settle' ? 'incomplete' : 'error',
      },
    );
  return new RenderFailure('BrowserError', describeError(error), details);
}

async function renderSteps(
  context: BrowserContext,
  job: RenderJob,
  profile: DeviceProfile,
  parts: RenderParts,
  signal: AbortSignal,
  progress: { phase: RenderPhase; session: CDPSession | null; main: MainDocument | null },
): Promise<PageReport> {
  const { settings, now } = parts;
  const { protocol, origin: ownOrigin } = new URL(job.url);
  // The guard never sees a navigation to a file or data URL.
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new RenderFailure('URL_INVALID', `the scheme ${protocol} is not http or https`, { phase: 'navigate' });
  const page = await context.newPage();
  const crashed = new Promise<never>((_resolve, reject) => {
    page.once('error', (error) =>
      reject(new RenderFailure('PageCrashed', error.message, { phase: progress.phase, suspect: true })),
    );
  });
  crashed.catch(() => undefined);
  progress.session = await page.createCDPSession();
  await preparePage(context, page, profile);
  const main = (progress.main = watchMainDocument(page, now));
  const activity = watchNetwork(page, ownOrigin, settings.requestHold, now);
  const guard = await guardPage(page, progress.session, {
    policy: parts.policy,
    ownOrigin,
    ownHeaders: job.headers ?? {},
    blockedTypes: new Set(settings.blockResourceTypes),
  });

  progress.phase = 'navigate';
  const early = await Promise.race([crashed, navigate(page, job, main, guard)]);
  if (early) return early;

  progress.phase = 'settle';
  const selectors = requiredSelectors(parts.selectorRules, job.url);
  const rules = { quiet: settings.settleQuiet, domQuiet: settings.settleDomQuiet, max: settings.settleMax, selectors };
  await Promise.race([crashed, waitUntilSettled(page, activity, rules, signal, now)]);
  const moved = movedByItself(job, main, guard);
  if (moved) return moved;
  const [failedScript] = activity.failedScripts();
  if (settings.requireOwnScripts && failedScript !== undefined)
    throw new RenderFailure('ScriptFailed', `the page's own script ${failedScript} did not load`, {
      phase: 'settle',
      reason: 'incomplete',
      statusCode: main.response()?.status() ?? 0,
    });

  progress.phase = 'read';
  const html = await Promise.race([crashed, page.content()]);
  return reportPage(job, main, html, parts);
}

async function preparePage(context: BrowserContext, page: Page, profile: DeviceProfile): Promise<void> {
  context.on('targetcreated', (target) => {
    if (target.type() !== TargetType.PAGE || target === page.target()) return;
    // A second window is not guarded, and no render needs one.
    target
      .page()
      .then((popup) => popup?.close())
      .catch(() => undefined);
  });
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  const { width, height, scale } = profile.viewport;
  await page.setUserAgent({ userAgent: profile.userAgent });
  await page.setViewport({
    width,
    height,
    deviceScaleFactor: scale,
    isMobile: profile.mobile,
    hasTouch: profile.mobile,
  });
  await page.evaluateOnNewDocument(PAGE_PREAMBLE);
}

/** Loads the document. A report when the answer alone decides; null when the page is to be rendered. */
async function navigate(
  page: Page,
  job: RenderJob,
  main: MainDocument,
  guard: RequestGuard,
): Promise<PageReport | null> {
  const going = page.goto(job.url, { waitUntil: 'domcontentloaded', timeout: 0 });
  going.catch(() => undefined);
  try {
    const response = await Promise.race([main.received, going.then(() => main.received)]);
    const early = judgeAnswer(job, main, response);
    if (early) return early;
    await going;
    return null;
  } catch (error) {
    // A page that moves itself while it loads breaks off the first navigation; the settling sees the next document.
    if (
      main.count() > 0 &&
      !(error instanceof RenderFailure) &&
      /ERR_ABORTED|frame was detached/.test(describeError(error)) &&
      isHtml(main.response())
    )
      return null;
    throw navigationFailure(error, main, guard);
  }
}

function navigationFailure(error: unknown, main: MainDocument, guard: RequestGuard): Error {
  if (error instanceof RenderFailure) return error;
  const details = { phase: 'navigate' as const, statusCode: main.hops()[0]?.status ?? 0, cause: error };
  const refusal = guard.refusal();
  if (refusal) return new RenderFailure(refusal.code, refusal.message, details);
  const message = describeError(error);
  if (message.includes('ERR_TOO_MANY_REDIRECTS'))
    return new RenderFailure('RedirectLoop', 'the redirects never end', { ...details, reason: 'redirect-loop' });
  if (/net::ERR_/.test(message)) return new RenderFailure('NavigationFailed', message, details);
  return error instanceof Error ? error : new Error(message);
}

/** Redirects, statuses and types for which the page need not be rendered. */
function judgeAnswer(job: RenderJob, main: MainDocument, response: HTTPResponse): PageReport | null {
  const hops = main.hops();
  const [first] = hops;
  // A way that leads back to the same URL (a cookie set on the way) is the page itself.
  if (first && withoutHash(response.url()) !== withoutHash(job.url))
    return redirectReport(main, first.status, redirectTarget(hops, withoutHash(response.url())));
  const status = response.status();
  if (status >= 300) {
    const facts = pageFacts(parsePage(''), job.url);
    const verdict = judgePage(
      { jobUrl: job.url, status, headers: response.headers(), facts },
      { challengeTitles: [], soft404Titles: [], minText: 0 },
    );
    return { verdict, facts, headers: response.headers(), html: null, fetchedAt: main.receivedAt() };
  }
  if (!isHtml(response))
    throw new RenderFailure('NotHtml', `the answer is ${response.headers()['content-type'] ?? ''}, not HTML`, {
      phase: 'navigate',
      statusCode: status,
    });
  return null;
}

function isHtml(response: HTTPResponse | null): boolean {
  const type = response?.headers()['content-type'] ?? 'text/html';
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** A page that went elsewhere by script or `<meta http-equiv=refresh>`: a redirect, reported as 302 since it has no status. */
function movedByItself(job: RenderJob, main: MainDocument, guard: RequestGuard): PageReport | null {
  const refusal = guard.refusal();
  if (refusal) throw new RenderFailure(refusal.code, refusal.message, { phase: 'settle', reason: 'incomplete' });
  const response = main.response();
  if (!response || main.count() < 2) return null;
  if (main.count() > MOST_DOCUMENTS)
    throw new RenderFailure('RedirectLoop', 'the page loads itself again and again', {
      phase: 'settle',
      reason: 'redirect-loop',
      statusCode: response.status(),
    });
  const at = withoutHash(response.url());
  if (at === withoutHash(job.url) || sameCanonical(at, job.url, ['*'])) return judgeAnswer(job, main, response);
  return redirectReport(main, 302, at);
}

function redirectReport(main: MainDocument, statusCode: number, redirectedTo: string): PageReport {
  return {
    verdict: {
      outcome: 'redirected',
      reason: 'redirect',
      statusCode,
      isIndexable: false,
      canonical: null,
      redirectedTo,
      message: null,
    },
    facts: pageFacts(parsePage(''), redirectedTo),
    headers: {},
    html: null,
    fetchedAt: main.receivedAt(),
  };
}

function reportPage(job: RenderJob, main: MainDocument, html: string, parts: RenderParts): PageReport {
  const response = main.response();
  const status = response?.status() ?? 0;
  if (Buffer.byteLength(html) > parts.settings.maxBodyBytes)
    throw new RenderFailure('PageTooLarge', `the page is larger than ${parts.settings.maxBodyBytes} bytes`, {
      phase: 'read',
      statusCode: status,
    });
  const parsed = parsePage(html);
  const facts = pageFacts(parsed, job.url);
  const headers = response?.headers() ?? {};
  const verdict = judgePage({ jobUrl: job.url, status, headers, facts }, parts.guesses);
  const hasBody = verdict.outcome === 'rendered' || verdict.outcome === 'non-indexable';
  return { verdict, facts, headers, html: hasBody ? cleanUpHtml(html, parsed) : null, fetchedAt: main.receivedAt() };
}

function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
