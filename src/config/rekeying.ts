import { isDeepStrictEqual } from 'node:util';
import type { OptionDescriptor } from './descriptor.ts';

/**
 * Whether a change of an option's value gives pages that may be cached other keys. From an empty list nothing is: no page
 * has a key under it. In a list of objects only the fields that are marked count, if any is.
 */
export function isRekeying(option: OptionDescriptor, from: unknown, to: unknown): boolean {
  if (option.rekeys !== true || (Array.isArray(from) && from.length === 0)) return false;
  return !isDeepStrictEqual(keyParts(option, from), keyParts(option, to));
}

function keyParts(option: OptionDescriptor, value: unknown): unknown {
  if (option.kind !== 'object-list' || !Array.isArray(value)) return value;
  const marked = Object.keys(option.fields).filter((name) => option.fields[name]?.rekeys === true);
  if (marked.length === 0) return value;
  return value.map((item: Record<string, unknown>) => marked.map((name) => item[name]));
}
