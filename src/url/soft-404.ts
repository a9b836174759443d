import { compilePattern } from './compile-pattern.ts';

/**
 * A rule that tells a "not found" or challenge page which answers 200. All parts that are given must hold; a rule without parts
 * is invalid. Without rules nothing is guessed.
 */
export interface Soft404Rule {
  /** Regular expression on the title, in any case. */
  readonly title?: string;
  /** Regular expression on one of the `h1` headings, in any case. */
  readonly h1?: string;
  /** CSS selector of an element that must be there. */
  readonly selector?: string;
}

/** A rule with its expressions compiled. */
export interface CompiledSoft404Rule {
  readonly title?: RegExp | undefined;
  readonly h1?: RegExp | undefined;
  readonly selector?: string | undefined;
}

/** What the rules look at; the texts have their white space collapsed. */
export interface Soft404Evidence {
  readonly title: string;
  readonly h1: readonly string[];
  hasSelector(selector: string): boolean;
}

/** The rule, or what is wrong with which part. */
export type Soft404Compilation =
  { ok: true; rule: CompiledSoft404Rule } | { ok: false; option: string; reason: string };

const TEXT_LIMIT = 1_000;

/** Compiles one rule; never throws. */
export function compileSoft404(rule: Soft404Rule): Soft404Compilation {
  if (!rule.title && !rule.h1 && !rule.selector) {
    return { ok: false, option: '', reason: 'it needs at least one of title, h1 and selector' };
  }
  const title = rule.title ? compilePattern(rule.title, 'i') : undefined;
  if (title?.ok === false) return { ok: false, option: 'title', reason: title.reason };
  const h1 = rule.h1 ? compilePattern(rule.h1, 'i') : undefined;
  if (h1?.ok === false) return { ok: false, option: 'h1', reason: h1.reason };
  return { ok: true, rule: { title: title?.pattern, h1: h1?.pattern, selector: rule.selector || undefined } };
}

/** Whether any rule holds for the page. */
export function isSoft404(rules: readonly CompiledSoft404Rule[], page: Soft404Evidence): boolean {
  return rules.some(
    ({ title, h1, selector }) =>
      (title === undefined || title.test(page.title.slice(0, TEXT_LIMIT))) &&
      (h1 === undefined || page.h1.some((heading) => h1.test(heading.slice(0, TEXT_LIMIT)))) &&
      (selector === undefined || page.hasSelector(selector)),
  );
}
