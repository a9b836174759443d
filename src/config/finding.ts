/** One thing wrong with the options of a layer. */
export interface Finding {
  readonly path: string;
  /** As it may be shown. */
  readonly value: string | null;
  readonly problem: string;
  readonly hint: string;
  /** Options whose given value is not usable for it. */
  readonly spoils: readonly string[];
  /** Security options that it closes, though no value of theirs may be given (a misspelt key). */
  readonly closes: readonly string[];
}
