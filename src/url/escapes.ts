/**
 * Percent-escapes in the one spelling of a canonical URL. One pass: what a pass writes is never read again, so a double
 * encoding (`%252B`) stays a double encoding.
 */

/** Reserved characters whose escapes may be decoded: the URL parser neither gives them a meaning there nor escapes them again. */
export const DECODABLE_RESERVED = ":,@!$'()*[]";

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

/** Rewrites the escapes of one part of a URL: decodes what may be decoded, upper-cases the others, `%` → `%25`, `|` → `%7C`. */
export type EscapeRewriter = (text: string) => string;

/** The rewriters of the two parts of a URL that carry escapes. */
export interface EscapeRewriters {
  readonly path: EscapeRewriter;
  readonly query: EscapeRewriter;
}

/** Characters of `decodeReserved` that can never be decoded; empty when all are usable. For the check of the option. */
export function undecodableCharacters(decodeReserved: string): string {
  return [...decodeReserved].filter((character) => !DECODABLE_RESERVED.includes(character)).join('');
}

/**
 * Compiles the rewriters. Characters of `decodeReserved` outside DECODABLE_RESERVED are ignored, since decoding them would
 * change what the URL means. `plusIsSpace` folds `%20` to `+` in the query.
 */
export function compileEscapes(decodeReserved: string, plusIsSpace: boolean): EscapeRewriters {
  const reserved = [...decodeReserved].filter((character) => DECODABLE_RESERVED.includes(character));
  // The URL parser escapes an apostrophe in a query, so a decoded one would not stay decoded.
  const inQuery = reserved.filter((character) => character !== "'");
  return {
    path: compileRewriter(reserved, false),
    query: compileRewriter(inQuery, plusIsSpace),
  };
}

function compileRewriter(reserved: readonly string[], plusIsSpace: boolean): EscapeRewriter {
  const decoded = new Set([...UNRESERVED, ...reserved].map((character) => character.charCodeAt(0)));
  const replacements = new Map<string, string>([
    ['|', '%7C'],
    ['%', '%25'],
  ]);
  /** Of each first hex digit, the second digits with which an escape is canonical. */
  const kept = new Map<string, string>();
  for (let code = 0; code < 256; code++) {
    const escape = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    const replacement =
      code === 0x20 && plusIsSpace ? '+' : decoded.has(code) && code < 128 ? String.fromCharCode(code) : escape;
    if (replacement === escape) kept.set(escape.charAt(1), (kept.get(escape.charAt(1)) ?? '') + escape.charAt(2));
    for (const spelling of spellings(escape)) replacements.set(spelling, replacement);
  }
  // Escapes that are canonical already match nothing, so that an ordinary URL costs one scan.
  const canonical = [...kept].map(([first, seconds]) => `${first}[${seconds}]`).join('|');
  const pattern = new RegExp(`\\||%(?!${canonical})(?:[0-9A-Fa-f]{2})?`, 'g');
  return (text) =>
    text.includes('%') || text.includes('|')
      ? text.replace(pattern, (match) => replacements.get(match) ?? match)
      : text;
}

function spellings(escape: string): string[] {
  const [first = '', second = ''] = [escape.charAt(1), escape.charAt(2)];
  return [first, first.toLowerCase()].flatMap((a) => [second, second.toLowerCase()].map((b) => `%${a}${b}`));
}
