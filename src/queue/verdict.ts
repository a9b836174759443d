import type { JobResultMetadata } from '../protocol/job.ts';
import type { SuppressionReason } from '../target/target.ts';

/** What one device's result says about the URL. Kept in LeaseReport until all devices have said theirs. */
export type Report =
  | { readonly kind: 'rendered'; readonly isIndexable: boolean }
  | { readonly kind: 'redirect'; readonly permanent: boolean; readonly location: string | null }
  | {
      readonly kind: 'verdict';
      readonly reason: SuppressionReason;
      readonly canonical: string | null;
      /** The page asks for its status itself, and that answer is stored to be replayed. */
      readonly replayed?: true;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly refused: boolean };

/** What is known of the page beside its result. */
export interface PageFacts {
  /** A sitemap lists it. */
  readonly listed: boolean;
  readonly everRendered: boolean;
  /** The breaker of its host is open. */
  readonly breakerOpen: boolean;
  /** The HTML has no text and no element that could show something. */
  readonly blank: boolean;
  /** A rule of its route calls it a soft 404. */
  readonly soft404: boolean;
  /** The declared canonical is the page's own key. */
  readonly canonicalIsSelf: boolean;
}

const PERMANENT_REDIRECTS: ReadonlySet<number> = new Set([301, 308]);
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** Answers that say something about the request or the moment, not about the page. */
const TRANSIENT: ReadonlySet<number> = new Set([400, 401, 405, 406, 408, 413, 414, 415, 417, 421, 425, 429, 431]);

/** Judges one device's result (design.md §7). */
export function judge(result: JobResultMetadata, facts: PageFacts): Report {
  if (result.reason === 'redirect-loop') return { kind: 'verdict', reason: 'redirect-loop', canonical: null };
  if (isRedirect(result)) {
    return {
      kind: 'redirect',
      permanent: PERMANENT_REDIRECTS.has(result.statusCode),
      location: result.redirectedTo || null,
    };
  }
  if (result.outcome === 'error' && result.reason !== 'http-error') return failure(result);
  if (result.statusCode >= 400) return judgeStatus(result, facts);
  if (result.statusCode < 200 || result.statusCode >= 300 || result.outcome === 'error') return failure(result);
  return judgePage(result, facts);
}

function isRedirect(result: JobResultMetadata): boolean {
  if (result.outcome === 'redirected') return true;
  return (
    result.outcome !== 'error' && result.statusCode >= 300 && result.statusCode < 400 && result.redirectedTo !== null
  );
}

function judgeStatus(result: JobResultMetadata, facts: PageFacts): Report {
  const { statusCode } = result;
  if (GONE.has(statusCode)) return { kind: 'verdict', reason: 'http-gone', canonical: null };
  if (statusCode === 403) {
    const suppresses = !facts.listed && !facts.everRendered && !facts.breakerOpen;
    return suppresses ? { kind: 'verdict', reason: 'forbidden', canonical: null } : failure(result);
  }
  if (statusCode >= 500 || TRANSIENT.has(statusCode)) return failure(result);
  return { kind: 'verdict', reason: 'http-error', canonical: null };
}

function judgePage(result: JobResultMetadata, facts: PageFacts): Report {
  if (facts.soft404 || result.reason === 'soft-404') return { kind: 'verdict', reason: 'soft-404', canonical: null };
  if (result.reason === 'incomplete') return failure(result);
  const reason = indexingVerdict(result, facts);
  // A page that a sitemap lists is wanted, whatever it says about itself.
  if (reason && (!facts.listed || facts.blank)) return { kind: 'verdict', reason, canonical: result.canonical ?? null };
  if (facts.blank) return { kind: 'failed', reason: 'incomplete', refused: false };
  return { kind: 'rendered', isIndexable: reason === null };
}

function indexingVerdict(result: JobResultMetadata, facts: PageFacts): SuppressionReason | null {
  if (result.outcome === 'rendered' && result.isIndexable) return null;
  if (result.reason === 'canonical-variant') return null;
  if (result.reason === 'canonical-mismatch') return facts.canonicalIsSelf ? null : 'canonical-mismatch';
  if (result.reason === 'http-error') return 'http-error';
  return 'noindex';
}

function failure(result: JobResultMetadata): Report {
  const refused = result.statusCode === 401 || result.statusCode === 403;
  const reason = result.outcome === 'error' ? (result.reason ?? 'error') : 'http-error';
  return { kind: 'failed', reason, refused };
}

const STRENGTH = { redirect: 3, verdict: 2, rendered: 1, failed: 0 } as const;

/** The report that decides over the URL: a redirect beats a verdict, that a stored page, that a failure. */
export function strongest(reports: readonly Report[]): Report | undefined {
  return reports.reduce<Report | undefined>(
    (best, next) => (best && STRENGTH[best.kind] >= STRENGTH[next.kind] ? best : next),
    undefined,
  );
}
