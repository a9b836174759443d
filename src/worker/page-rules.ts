import { PrerenderError } from '../errors.ts';

/** On URLs that match, the page is incomplete without the selector. */
export interface SelectorRule {
  pattern: RegExp;
  selector: string;
}

/** Compiles regular expressions, case-insensitive. Throws CONFIG_INVALID naming the option and the pattern. */
export function parsePatterns(option: string, sources: readonly string[]): RegExp[] {
  return sources.map((source) => {
    try {
      return new RegExp(source, 'i');
    } catch (error) {
      const reason = `${option}: ${JSON.stringify(source)} is not a regular expression`;
      throw new PrerenderError('CONFIG_INVALID', { reason }, { cause: error });
    }
  });
}

/** `PATTERN SELECTOR` items: the first white space parts the two. Throws CONFIG_INVALID. */
export function parseSelectorRules(items: readonly string[]): SelectorRule[] {
  return items.map((item) => {
    const match = /^(\S+)\s+(\S.*)$/.exec(item.trim());
    if (!match)
      throw new PrerenderError('CONFIG_INVALID', {
        reason: `requireSelectors: ${JSON.stringify(item)} is not \`PATTERN SELECTOR\`, like \`/product/ h1\``,
      });
    const [pattern] = parsePatterns('requireSelectors', [match[1] ?? '']);
    return { pattern: pattern ?? /$^/, selector: match[2] ?? '' };
  });
}

/** The selectors that this URL's page must have. */
export function requiredSelectors(rules: readonly SelectorRule[], url: string): string[] {
  return rules.filter((rule) => rule.pattern.test(url)).map((rule) => rule.selector);
}
