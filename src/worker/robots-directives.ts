/** Directives with a value: what stands before their colon is no crawler's name. */
const VALUED = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after']);

/** Whether the content of a robots meta tag keeps the page out of the index (`noindex`, `none`). */
export function metaForbidsIndex(content: string): boolean {
  return content.split(',').some(isNoindex);
}

/**
 * Whether an `X-Robots-Tag` header keeps the page out of the index of every crawler. Several headers are parted by line
 * breaks; directives behind the name of one crawler (`googlebot: noindex`) are not ours to apply to all.
 */
export function headerForbidsIndex(header: string): boolean {
  return header.split('\n').some((line) => {
    let agent = '';
    return line.split(',').some((part) => {
      const named = /^\s*([\w-]+)\s*:(.*)$/.exec(part);
      const name = named?.[1]?.toLowerCase();
      if (name === undefined || VALUED.has(name)) return agent === '' && isNoindex(part);
      agent = name === 'robots' ? '' : name;
      return agent === '' && isNoindex(named?.[2] ?? '');
    });
  });
}

function isNoindex(directive: string): boolean {
  const word = directive.trim().toLowerCase();
  return word === 'noindex' || word === 'none';
}
