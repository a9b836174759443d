import type { RenderOutcome, RenderReason } from '../protocol/job.ts';
import { canonicalizeUrl } from '../url/canonicalize-url.ts';
import { sameCanonical } from '../url/canonical-comparison.ts';
import { linkHeaderCanonical, type PageFacts } from './page-facts.ts';
import { headerForbidsIndex, metaForbidsIndex } from './robots-directives.ts';

/** What the judgement is made from. */
export interface PageEvidence {
  jobUrl: string;
  /** Status of the response. */
  status: number;
  /** Response headers, names lower-case; several of a name joined by line breaks. */
  headers: Readonly<Record<string, string>>;
  facts: PageFacts;
}

/** Rules for guesses; an empty list never guesses. */
export interface GuessRules {
  challengeTitles: readonly RegExp[];
  soft404Titles: readonly RegExp[];
  /** Characters of visible text below which a page without pictures or frames is blank. */
  minText: number;
}

/** What a page turned out to be. */
export interface PageVerdict {
  outcome: RenderOutcome;
  reason: RenderReason | null;
  statusCode: number;
  isIndexable: boolean;
  /** Canonical that the page declares, absolute. */
  canonical: string | null;
  redirectedTo: string | null;
  /** Why an `error` outcome is one. */
  message: string | null;
}

/** Statuses that say nothing about the page: try again later. */
const TRANSIENT = new Set([408, 425, 429]);

/**
 * Judges a page that has been rendered. In this order: the status (of the response, or the one that a 200 page gives
 * itself by `prerender-status-code`), challenge, blank, soft 404, noindex, canonical. Never throws.
 */
export function judgePage(evidence: PageEvidence, rules: GuessRules): PageVerdict {
  const { facts, headers, jobUrl } = evidence;
  const canonical = facts.canonical ?? linkHeaderCanonical(headers.link ?? '', jobUrl);
  const statusCode = evidence.status === 200 ? (facts.statusCode ?? 200) : evidence.status;
  const verdict = (part: Partial<PageVerdict>): PageVerdict => ({
    outcome: 'rendered',
    reason: null,
    statusCode,
    isIndexable: false,
    canonical,
    redirectedTo: null,
    message: null,
    ...part,
  });
  const incomplete = (message: string): PageVerdict => verdict({ outcome: 'error', reason: 'incomplete', message });

  const location = facts.headers.find(([name]) => name === 'location')?.[1];
  if (statusCode >= 300 && statusCode < 400 && location && URL.canParse(location, jobUrl))
    return verdict({ outcome: 'redirected', reason: 'redirect', redirectedTo: new URL(location, jobUrl).href });
  if (statusCode >= 500 || TRANSIENT.has(statusCode))
    return verdict({ outcome: 'error', reason: 'http-error', message: `the page has status ${statusCode}` });
  if (statusCode >= 300) return verdict({ outcome: 'non-indexable', reason: 'http-error' });
  if (rules.challengeTitles.some((title) => title.test(facts.title)))
    return incomplete(`the title ${JSON.stringify(facts.title)} is that of a bot challenge`);
  if (facts.visibleText < rules.minText && !facts.hasMedia) return incomplete('the page is blank');
  if (rules.soft404Titles.some((title) => title.test(facts.title)))
    return verdict({ outcome: 'non-indexable', reason: 'soft-404' });
  if (facts.robots.some(metaForbidsIndex) || headerForbidsIndex(headers['x-robots-tag'] ?? ''))
    return verdict({ outcome: 'non-indexable', reason: 'noindex' });
  return verdict(canonicalPart(canonical, jobUrl));
}

/**
 * A canonical that is the job's URL, or differs in spelling only (`+` for `%20` and the like), makes no other page of
 * it; the spelling is told by the reason `canonical-variant`. The worker does not know which parameters the route keeps.
 */
function canonicalPart(canonical: string | null, jobUrl: string): Partial<PageVerdict> {
  const declared = canonical === null ? null : canonicalizeUrl(canonical, ['*']);
  if (canonical === null || !declared?.ok) return { isIndexable: true };
  const own = canonicalizeUrl(jobUrl, ['*']);
  if (own.ok && own.url === declared.url) return { isIndexable: true };
  if (sameCanonical(canonical, jobUrl, ['*'])) return { isIndexable: true, reason: 'canonical-variant' };
  return { outcome: 'non-indexable', reason: 'canonical-mismatch' };
}
