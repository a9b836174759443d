import { OTHER } from './get-bot-name.ts';

const DAY_MS = 86_400_000;

/** The label of derived names beyond the day's budget. */
export const DERIVED_OTHER = 'derived-other';

/** Collaborators of {@link createDerivedNameBudget}. */
export interface DerivedNameBudgetOptions {
  /** Names that are always let through: registry, configured, and those listed in the bot lists of the configuration. */
  readonly knownNames: ReadonlySet<string>;
  /** Distinct derived names let through per UTC day (`analytics.maxDerivedBots`); 0 lets none through. */
  readonly maxDerivedBots: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Bounds the bot names that become metric labels: anyone can send any User-Agent, and each new label costs a row per
 * period in every metric. Known names and `other` pass; the first `maxDerivedBots` derived names of a UTC day pass; the
 * rest of that day are `derived-other`.
 * Memory: `maxDerivedBots` names. It errs to the coarse side: a flood of invented names hides that day's later real ones.
 */
export function createDerivedNameBudget(options: DerivedNameBudgetOptions): (name: string) => string {
  const { knownNames, maxDerivedBots, now } = options;
  const admitted = new Set<string>();
  let day = -1;
  return (name) => {
    if (name === OTHER || name === DERIVED_OTHER || knownNames.has(name)) return name;
    const today = Math.floor(now() / DAY_MS);
    if (today !== day) {
      day = today;
      admitted.clear();
    }
    if (admitted.has(name)) return name;
    if (admitted.size >= maxDerivedBots) return DERIVED_OTHER;
    admitted.add(name);
    return name;
  };
}
