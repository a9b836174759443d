/** One entry of a bot list: the name to report, and the text that identifies it in a User-Agent. */
export interface BotMatch {
  readonly name: string;
  /** Compared without regard to case, at token boundaries: no letter or digit may adjoin its own first or last one. */
  readonly match: string;
}

interface Candidate<Entry> {
  readonly entry: Entry;
  readonly text: string;
  /** Where the first word stands inside `text`. */
  readonly wordAt: number;
  /** 0 wins over 1. */
  readonly rank: number;
}

/** Finds the winning entry in a text that is lower-case already; `undefined` when none is in it. */
export type MatchFinder<Entry> = (lowerCaseText: string) => Entry | undefined;

/** Letters and digits; anything beyond ASCII counts as a letter, since it is one in the names that carry it. */
function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 128;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return end;
}

function wordStart(text: string): number {
  let at = 0;
  while (at < text.length && !isWordCode(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Only the right end needs a look: a match's first word is found as a whole word, so its left end is a boundary already,
 * and so is its right end unless the match goes on behind that word.
 */
function standsAt(text: string, start: number, match: string): boolean {
  if (start < 0 || !text.startsWith(match, start)) return false;
  const end = start + match.length;
  if (end >= text.length || !isWordCode(match.charCodeAt(match.length - 1))) return true;
  return !isWordCode(text.charCodeAt(end));
}

/**
 * Compiles entries into one finder that reads a text once: each word of the text is looked up in a map from an entry's
 * first word to the entries that start with it. The longest match wins, wherever it stands; on equal length the entry
 * that comes first in `entries`. Entries whose match has no letter or digit never match.
 */
export function createMatchFinder<Entry extends BotMatch>(entries: readonly Entry[]): MatchFinder<Entry> {
  const byFirstWord = new Map<string, Candidate<Entry>[]>();
  const longestFirst = entries
    .map((entry) => ({ entry, text: entry.match.trim().toLowerCase() }))
    .sort((a, b) => b.text.length - a.text.length);
  for (const [rank, { entry, text }] of longestFirst.entries()) {
    const wordAt = wordStart(text);
    if (wordAt === text.length) continue;
    const word = text.slice(wordAt, wordEnd(text, wordAt));
    const candidates = byFirstWord.get(word) ?? [];
    candidates.push({ entry, text, wordAt, rank });
    byFirstWord.set(word, candidates);
  }
  return (text) => {
    let best: Candidate<Entry> | undefined;
    let at = 0;
    while (at < text.length) {
      if (!isWordCode(text.charCodeAt(at))) {
        at++;
        continue;
      }
      const end = wordEnd(text, at);
      for (const candidate of byFirstWord.get(text.slice(at, end)) ?? NONE) {
        if (best !== undefined && candidate.rank >= best.rank) break;
        if (standsAt(text, at - candidate.wordAt, candidate.text)) best = candidate;
      }
      at = end;
    }
    return best?.entry;
  };
}

const NONE: readonly never[] = [];
