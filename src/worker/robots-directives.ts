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
  return header.split('\n').some((line) => directivesOf(line).some(({ forAll, word }) => forAll && isNoindex(word)));
}

/**
 * Several `X-Robots-Tag` headers (parted by line breaks) as one. The scope of a crawler's name lasts to the end of a header,
 * so what is meant for all crawlers goes first; else a name would swallow the next header's `noindex`.
 */
export function joinRobotsHeaders(header: string): string {
  const lines = header.split('\n');
  if (lines.length === 1) return header;
  const directives = lines.flatMap(directivesOf).filter(({ text }) => text !== '');
  const ordered = [...directives.filter(({ forAll }) => forAll), ...directives.filter(({ forAll }) => !forAll)];
  return ordered.map(({ text }) => text).join(', ');
}

interface Directive {
  /** As written, with the crawler's name if it stands here. */
  text: string;
  /** Without that name. */
  word: string;
  forAll: boolean;
}

function directivesOf(line: string): Directive[] {
  let forAll = true;
  return line.split(',').map((part) => {
    const text = part.trim();
    const named = /^([\w-]+)\s*:(.*)$/.exec(text);
    const name = named?.[1]?.toLowerCase();
    if (name === undefined || VALUED.has(name)) return { text, word: text, forAll };
    forAll = name === 'robots';
    return { text, word: named?.[2] ?? '', forAll };
  });
}

function isNoindex(directive: string): boolean {
  const word = directive.trim().toLowerCase();
  return word === 'noindex' || word === 'none';
}
