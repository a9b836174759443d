/** Longer documents are none. */
const MOST_BYTES = 65_536;
/** Elements whose content is not text of the page. */
const HIDING: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'noscript']);
/** Elements that show something without any text. */
const SHOWING: ReadonlySet<string> = new Set('img svg video canvas picture iframe object embed input'.split(' '));

/** Whether the HTML shows nothing: no text, and no element that shows something without any. Takes time in line with its length. */
export function isBlank(html: Buffer): boolean {
  if (html.length > MOST_BYTES) return false;
  const text = html.toString('utf8').toLowerCase();
  const neverClosed = new Set<string>();
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('<', at);
    if (hasText(text.slice(at, open === -1 ? text.length : open))) return false;
    if (open === -1) return true;
    if (text.startsWith('<!--', open)) {
      at = endOf(text, '-->', open + 4);
      continue;
    }
    const name = tagName(text, open + 1);
    if (SHOWING.has(name)) return false;
    const close = HIDING.has(name) && !neverClosed.has(name) ? text.indexOf(`</${name}`, open) : -1;
    // Looked for once only: a document of such tags would cost the square of its length.
    if (close === -1) neverClosed.add(name);
    at = endOf(text, '>', Math.max(close, open));
  }
  return true;
}

function tagName(text: string, start: number): string {
  let end = start;
  while (/[a-z0-9]/.test(text[end] ?? '')) end++;
  return text.slice(start, end);
}

/** Where the text goes on after `mark`; its end when there is none. */
function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function hasText(text: string): boolean {
  return text.replaceAll('&nbsp;', '').trim() !== '';
}
