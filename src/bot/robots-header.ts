/** Directives that have a value behind a colon and are no name of a crawler. */
const VALUED = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/**
 * Whether an X-Robots-Tag header keeps the page out of every index: `noindex` or `none` that is not for one named crawler.
 * `name: directive, directive` binds what follows it to that crawler.
 */
export function saysNoindex(header: string | undefined): boolean {
  if (header === undefined) return false;
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
