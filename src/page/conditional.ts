/** Validators of a representation. */
export interface Validators {
  /** Entity tags under which the client may know this page: those of all its encodings, since the page is the same. */
  readonly etags: readonly string[];
  /** Epoch ms. */
  readonly lastModified: number;
}

/** Conditional headers of a request. */
export interface Conditionals {
  readonly ifNoneMatch: string | null | undefined;
  readonly ifModifiedSince: string | null | undefined;
}

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/y;
const BETWEEN_TAGS = /[\s,]*/y;

/**
 * Whether a GET or HEAD of an existing page is answered 304 (RFC 9110 §13.2.2). If-None-Match is compared weakly, as a list
 * or `*`, and when present If-Modified-Since is not looked at. What cannot be read never matches.
 */
export function isNotModified(conditionals: Conditionals, validators: Validators): boolean {
  const { ifNoneMatch, ifModifiedSince } = conditionals;
  if (ifNoneMatch !== null && ifNoneMatch !== undefined) return matchesAny(ifNoneMatch, validators.etags);
  if (ifModifiedSince === null || ifModifiedSince === undefined) return false;
  const since = parseHttpDate(ifModifiedSince);
  // HTTP dates have whole seconds.
  return since !== undefined && Math.floor(validators.lastModified / 1000) * 1000 <= since;
}

function matchesAny(header: string, etags: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  let at = 0;
  for (;;) {
    BETWEEN_TAGS.lastIndex = at;
    BETWEEN_TAGS.exec(header);
    ENTITY_TAG.lastIndex = BETWEEN_TAGS.lastIndex;
    const found = ENTITY_TAG.exec(header);
    if (found === null) return false;
    if (etags.includes(found[1] ?? '')) return true;
    at = ENTITY_TAG.lastIndex;
  }
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Epoch ms of an HTTP date (IMF-fixdate or one of the obsolete forms); undefined when it is none. */
function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
