import type { Rule } from './commands.ts';

/** What rules and pages were set. A page answers its address itself; a rule changes what the shop would answer. */
export interface RuleBook {
  setForPath(path: string, rule: Rule): void;
  setForProduct(id: number, rule: Rule): void;
  setPage(path: string, page: Rule): void;
  clearPath(path: string): void;
  clearProduct(id: number): void;
  clearAll(): void;
  /** The page registered at a raw URL, counting one use. */
  takePage(rawUrl: string): Rule | undefined;
  /** The rule for a raw URL, counting one use: exact URL, then path, then product, then the longest prefix. */
  takeRule(rawUrl: string): Rule | undefined;
}

interface Counted {
  readonly rule: Rule;
  left: number;
}

/** An empty book. */
export function createRuleBook(): RuleBook {
  const rules = new Map<string, Counted>();
  const pages = new Map<string, Counted>();
  const productKey = (id: number | string): string => `product ${id}`;
  const counted = (rule: Rule): Counted => ({ rule, left: rule.times ?? Infinity });
  return {
    setForPath: (path, rule) => void rules.set(path, counted(rule)),
    setForProduct: (id, rule) => void rules.set(productKey(id), counted(rule)),
    setPage: (path, page) => void pages.set(path, counted(page)),
    clearPath(path) {
      rules.delete(path);
      pages.delete(path);
    },
    clearProduct: (id) => void rules.delete(productKey(id)),
    clearAll() {
      rules.clear();
      pages.clear();
    },
    takePage: (rawUrl) => take(pages, [rawUrl, pathOf(rawUrl), longestPrefix(pages, rawUrl)]),
    takeRule(rawUrl) {
      const id = /^\/product\/prd-(\d+)\//.exec(rawUrl)?.[1];
      return take(rules, [rawUrl, pathOf(rawUrl), id && productKey(id), longestPrefix(rules, rawUrl)]);
    },
  };
}

function take(book: Map<string, Counted>, keys: readonly (string | undefined)[]): Rule | undefined {
  const key = keys.find((candidate) => candidate !== undefined && book.has(candidate));
  const entry = key === undefined ? undefined : book.get(key);
  if (key === undefined || entry === undefined) return undefined;
  entry.left -= 1;
  if (entry.left <= 0) book.delete(key);
  return entry.rule;
}

function pathOf(rawUrl: string): string {
  const query = rawUrl.indexOf('?');
  return query < 0 ? rawUrl : rawUrl.slice(0, query);
}

function longestPrefix(book: ReadonlyMap<string, unknown>, rawUrl: string): string | undefined {
  const prefixes = [...book.keys()].filter((key) => key.endsWith('*') && rawUrl.startsWith(key.slice(0, -1)));
  return prefixes.sort((a, b) => b.length - a.length)[0];
}
