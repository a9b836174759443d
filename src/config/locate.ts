import { isOption, type FieldDescriptor, type OptionDescriptor, type OptionGroup } from './descriptor.ts';

/** What stands at a path of a configuration. */
export interface Spot {
  /** Keys, and indexes as numbers. */
  readonly segments: readonly (string | number)[];
  /** Path of the option that the spot is or lies in; `undefined` above the options. */
  readonly optionPath?: string;
  readonly secret: boolean;
  readonly wanted: Wanted;
}
export type Wanted =
  | { readonly kind: 'group'; readonly group: OptionGroup }
  | { readonly kind: 'option'; readonly option: OptionDescriptor }
  | { readonly kind: 'item'; readonly pattern?: string; readonly meaning?: string }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, FieldDescriptor>> };

/** Every option of a group with its path, depth first in the order they are written. */
export function* eachOption(group: OptionGroup, prefix = ''): Generator<[path: string, option: OptionDescriptor]> {
  for (const [name, entry] of Object.entries(group)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (isOption(entry)) yield [path, entry];
    else yield* eachOption(entry, path);
  }
}

/** Finds what stands at a path of keys, such as a JSON pointer names it. */
export function locate(group: OptionGroup, keys: readonly string[]): Spot {
  let wanted: Wanted = { kind: 'group', group };
  let secret = false;
  let optionPath: string | undefined;
  const segments: (string | number)[] = [];
  for (const key of keys) {
    const isIndex: boolean = wanted.kind === 'option' && /^\d+$/.test(key) && wanted.option.kind.endsWith('list');
    const next: Wanted | undefined = child(wanted, key);
    if (next === undefined) break;
    segments.push(isIndex ? Number(key) : key);
    wanted = next;
    if (wanted.kind !== 'option') continue;
    secret ||= wanted.option.secret === true;
    optionPath ??= segments.join('.');
  }
  return { segments, secret, wanted, ...(optionPath === undefined ? {} : { optionPath }) };
}

function child(wanted: Wanted, key: string): Wanted | undefined {
  if (wanted.kind === 'group') {
    const entry = Object.hasOwn(wanted.group, key) ? wanted.group[key] : undefined;
    if (entry === undefined) return undefined;
    return isOption(entry) ? { kind: 'option', option: entry } : { kind: 'group', group: entry };
  }
  if (wanted.kind === 'object') return fieldOf(wanted.fields, key);
  if (wanted.kind === 'item') return undefined;
  return childOfOption(wanted.option, key);
}

function childOfOption(option: OptionDescriptor, key: string): Wanted | undefined {
  if (option.kind === 'object-list') return { kind: 'object', fields: option.fields };
  if (option.kind === 'object') return fieldOf(option.fields, key);
  if (option.kind === 'text-list') return { kind: 'item', pattern: option.itemPattern, meaning: option.itemMeaning };
  if (option.kind === 'text-map') return { kind: 'item', pattern: option.valuePattern, meaning: option.valueMeaning };
  return undefined;
}

function fieldOf(fields: Readonly<Record<string, FieldDescriptor>>, key: string): Wanted | undefined {
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return field === undefined ? undefined : { kind: 'option', option: field };
}

/** The paths of a group's security options. */
export function securityPaths(group: OptionGroup, prefix = ''): string[] {
  return [...eachOption(group, prefix)].filter(([, option]) => option.security === true).map(([path]) => path);
}
