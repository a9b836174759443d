import type { ResponseHeaders } from '../harper/http.ts';
import type { Target } from '../target/target.ts';
import { canonicalLinks } from '../url/link-header.ts';
import { headerText } from './origin/response-headers.ts';
import { saysNoindex } from './robots-header.ts';

/**
 * Puts a suppressed Target's verdict on the origin's answer, whose raw HTML may lack it: `noindex`, or the canonical that the
 * rendered page declared. What the origin says itself stands beside it; directives of several robots headers add up.
 */
export function addVerdictHeaders(headers: ResponseHeaders, target: Target | undefined): void {
  if (target?.state !== 'suppressed') return;
  if (target.suppressedReason === 'noindex' && !saysNoindex(headers['x-robots-tag'])) {
    headers['x-robots-tag'] = [headers['x-robots-tag'] ?? [], 'noindex'].flat();
  }
  const canonical = target.suppressedCanonical;
  if (target.suppressedReason !== 'canonical-mismatch' || !canonical || !URL.canParse(canonical)) return;
  const link = headerText(headers, 'link');
  if (canonicalLinks(link).length > 0) return;
  const declared = `<${new URL(canonical).href}>; rel="canonical"`;
  headers['link'] = link === undefined ? declared : `${link}, ${declared}`;
}
