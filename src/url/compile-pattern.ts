/** A compiled regular expression, or why the text is none. */
export type CompiledPattern = { ok: true; pattern: RegExp } | { ok: false; reason: string };

/** Longer paths match no regular expression: its time may grow faster than the text. */
export const PATTERN_TEXT_LIMIT = 2_048;

/** Compiles an operator's regular expression; never throws. */
export function compilePattern(source: string, flags = ''): CompiledPattern {
  try {
    return { ok: true, pattern: new RegExp(source, flags) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `not a regular expression: ${detail}` };
  }
}
