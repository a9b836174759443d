import { canonicalLinks } from '../url/link-header.ts';
import type { PageElement, ParsedPage } from './html-document.ts';

/** What a page says about itself. */
export interface PageFacts {
  /** White space collapsed. */
  title: string;
  /** Contents of all robots meta tags. */
  robots: readonly string[];
  /** Absolute canonical of the head's first usable link element, or null. */
  canonical: string | null;
  /** Status of the first usable `prerender-status-code` tag in the head, or null. */
  statusCode: number | null;
  /** `[name, value]` of the usable `prerender-header` tags in the head. */
  headers: readonly (readonly [string, string])[];
  visibleText: number;
  /** Pictures, frames, canvases: something to see besides text. */
  hasMedia: boolean;
}

const MEDIA = new Set(['img', 'picture', 'svg', 'video', 'iframe', 'object', 'embed', 'canvas']);

/** Headers that belong to the connection, the body as sent, or a person; a page cannot set them. */
const UNSETTABLE = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the facts. The rules for odd pages: `prerender-*` and canonical count in the head only; of several status tags
 * the first usable one (200 to 599) counts, of several canonicals the first usable one; robots tags count anywhere, the
 * strictest wins.
 */
export function pageFacts(page: ParsedPage, pageUrl: string): PageFacts {
  const live = page.elements.filter((element) => !element.inTemplate);
  const base = baseUrl(live, pageUrl);
  const metas = (name: string, headOnly: boolean): string[] =>
    live.filter((element) => isMeta(element, name) && (element.inHead || !headOnly)).map(content);
  return {
    title: (live.find((element) => element.name === 'title' && element.inHead)?.text ?? '').replace(/\s+/g, ' ').trim(),
    robots: metas('robots', false),
    canonical: firstCanonical(live, base),
    statusCode: firstStatus(metas('prerender-status-code', true)),
    headers: metas('prerender-header', true).flatMap(headerOf),
    visibleText: page.visibleText,
    hasMedia: live.some((element) => MEDIA.has(element.name)),
  };
}

/** The target of a `Link` header with `rel=canonical`, absolute, or null. Several headers are parted by line breaks. */
export function linkHeaderCanonical(header: string, pageUrl: string): string | null {
  for (const reference of canonicalLinks(header)) {
    const url = absolute(reference, pageUrl);
    if (url !== null) return url;
  }
  return null;
}

function isMeta(element: PageElement, name: string): boolean {
  return element.name === 'meta' && element.attributes.get('name')?.trim().toLowerCase() === name;
}

function content(element: PageElement): string {
  return element.attributes.get('content') ?? '';
}

function baseUrl(elements: readonly PageElement[], pageUrl: string): string {
  const href = elements
    .find((element) => element.name === 'base' && element.attributes.has('href'))
    ?.attributes.get('href');
  return (href !== undefined && absolute(href, pageUrl)) || pageUrl;
}

function firstCanonical(elements: readonly PageElement[], base: string): string | null {
  for (const element of elements) {
    if (element.name !== 'link' || !element.inHead) continue;
    const rel = (element.attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
    const url = rel.includes('canonical') ? absolute(element.attributes.get('href') ?? '', base) : null;
    if (url !== null) return url;
  }
  return null;
}

/** An empty reference says nothing, and only http(s) can be a page. */
function absolute(reference: string, base: string): string | null {
  const trimmed = reference.trim();
  if (trimmed === '' || !URL.canParse(trimmed, base)) return null;
  const url = new URL(trimmed, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

function firstStatus(contents: readonly string[]): number | null {
  const usable = contents.map((text) => text.trim()).find((text) => /^[2-5]\d\d$/.test(text));
  return usable === undefined ? null : Number(usable);
}

function headerOf(text: string): (readonly [string, string])[] {
  const match = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*([\t\x20-\x7e]*)$/.exec(text);
  const name = match?.[1]?.toLowerCase() ?? '';
  return match && !UNSETTABLE.has(name) ? [[name, (match[2] ?? '').trim()] as const] : [];
}
