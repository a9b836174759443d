/** Directives that have a value behind a colon and are no name of a crawler. */
const VALUED = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/**
 * Whether X-Robots-Tag headers keep the page out of every index: `noindex` or `none` that is not for one named crawler.
 * `name: directive, directive` binds what follows it in its line to that crawler; each line stands alone.
 */
export function saysNoindex(lines: string | readonly string[] | undefined): boolean {
  return [lines ?? []].flat().some(lineSaysNoindex);
}

function lineSaysNoindex(header: string): boolean {
  let named = false;
  for (const part of header.toLowerCase().split(',')) {
    const colon = part.indexOf(':');
    const name = colon === -1 ? '' : part.slice(0, colon).trim();
    if (name !== '' && !VALUED.has(name)) named = name !== '*' && name !== 'robots';
    const directive = (name === '' || VALUED.has(name) ? part : part.slice(colon + 1)).trim();
    if (!named && (directive === 'noindex' || directive === 'none')) return true;
  }
  return false;
}
