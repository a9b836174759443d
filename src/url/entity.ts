import { compilePattern, PATTERN_TEXT_LIMIT } from './compile-pattern.ts';

/** Option `entity` of a route: which of its URLs are pages of a product, and what identifies it. */
export interface EntityOptions {
  /** First part of the product id. */
  readonly name: string;
  /** Regular expression with one capture group, matched against the whole path. */
  readonly pattern: string;
}

/** `<name>|<origin>|<captured id>` of a canonical URL; undefined when it is not the page of a product. */
export type EntityReader = (canonicalUrl: string) => string | undefined;

/** The compiled entity, or what is wrong with its options. */
export type CompiledEntity = { ok: true; productId: EntityReader } | { ok: false; option: string; reason: string };

/**
 * Compiles a route's entity. A URL with a query, or whose path the pattern matches in part only, is a page of its own (a
 * variant, reviews) and has no id. The id is text as the canonical path spells it.
 */
export function compileEntity(options: EntityOptions): CompiledEntity {
  if (options.name === '' || options.name.includes('|')) {
    return { ok: false, option: 'name', reason: 'it must not be empty and must not contain |' };
  }
  const alone = compilePattern(options.pattern);
  if (!alone.ok) return { ok: false, option: 'pattern', reason: alone.reason };
  const groups = countGroups(options.pattern);
  if (groups !== 1) {
    return { ok: false, option: 'pattern', reason: `it needs exactly one capture group and has ${groups}` };
  }
  const whole = new RegExp(`^(?:${options.pattern})$`);
  return { ok: true, productId: (canonicalUrl) => readId(options.name, whole, canonicalUrl) };
}

function readId(name: string, whole: RegExp, canonicalUrl: string): string | undefined {
  if (canonicalUrl.includes('?')) return undefined;
  const hostAt = canonicalUrl.indexOf('://') + 3;
  const pathAt = canonicalUrl.indexOf('/', hostAt);
  if (hostAt < 3 || pathAt === -1 || canonicalUrl.length - pathAt > PATTERN_TEXT_LIMIT) return undefined;
  const id = whole.exec(canonicalUrl.slice(pathAt))?.[1];
  return id === undefined || id === '' ? undefined : `${name}|${canonicalUrl.slice(0, pathAt)}|${id}`;
}

/** With an empty alternative the expression matches the empty text, and the match lists every group. */
function countGroups(source: string): number {
  return (new RegExp(`${source}|`).exec('')?.length ?? 1) - 1;
}
