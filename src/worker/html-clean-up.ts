import { parsePage, type PageElement, type ParsedPage } from './html-document.ts';

/** Types that a browser runs, or that only serve what it runs (import map, speculation rules). */
const EXECUTABLE_TYPES = new Set([
  '',
  'module',
  'importmap',
  'speculationrules',
  'application/ecmascript',
  'application/javascript',
  'application/x-ecmascript',
  'application/x-javascript',
  'text/ecmascript',
  'text/javascript',
  'text/javascript1.0',
  'text/javascript1.1',
  'text/javascript1.2',
  'text/javascript1.3',
  'text/javascript1.4',
  'text/javascript1.5',
  'text/jscript',
  'text/livescript',
  'text/x-ecmascript',
  'text/x-javascript',
]);

/** Each round can only cut; hostile markup that still hides something after so many is served as it is. */
const MOST_ROUNDS = 10;

/**
 * The page without executable scripts, script preloads and the tags addressed to the worker (`prerender-*`). Whole
 * elements are cut and nothing else is touched: data blocks (`application/ld+json`, `application/json`, ...), doctype,
 * `<base>` and `<noscript>` stay byte for byte. A cut can change how the rest is read (a tag that ended an `<svg>` is
 * gone), so what is left is read again until nothing is to be cut.
 */
export function cleanUpHtml(html: string, page: ParsedPage): string {
  let left = cutOut(html, page);
  for (let round = 1, before = html; left !== before && round < MOST_ROUNDS; round++) {
    before = left;
    left = cutOut(left, parsePage(left));
  }
  return left;
}

function cutOut(html: string, page: ParsedPage): string {
  const kept: string[] = [];
  let at = 0;
  for (const element of page.elements) {
    if (element.start < at || !isRemoved(element)) continue;
    kept.push(html.slice(at, element.start));
    at = element.end;
  }
  kept.push(html.slice(at));
  return kept.join('');
}

function isRemoved(element: PageElement): boolean {
  if (element.name === 'script') return isExecutable(element);
  if (element.name === 'link') return isScriptPreload(element);
  if (element.name !== 'meta') return false;
  const name = element.attributes.get('name')?.trim().toLowerCase();
  return name === 'prerender-status-code' || name === 'prerender-header';
}

function isExecutable(element: PageElement): boolean {
  const type = element.attributes.get('type');
  const language = element.attributes.get('language');
  if (type === undefined)
    return language === undefined || language === '' || EXECUTABLE_TYPES.has(`text/${language.toLowerCase()}`);
  return EXECUTABLE_TYPES.has(type.trim().toLowerCase());
}

function isScriptPreload(element: PageElement): boolean {
  const rel = (element.attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
  if (rel.includes('modulepreload')) return true;
  return rel.includes('preload') && element.attributes.get('as')?.toLowerCase() === 'script';
}
