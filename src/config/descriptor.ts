/**
 * Typed option descriptors. Default, unit, bounds, description, secrecy and the way a change takes effect stand in one
 * place; validation, docs and the config type are derived from it, so they cannot disagree.
 */

/** When a changed value takes effect: at the next use, or only after a restart of Harper. */
export type Reload = 'live' | 'restart';

interface Common {
  readonly description: string;
  /** Default: `live`. */
  readonly reload?: Reload;
  /** Never shown in the admin API, logs or docs. */
  readonly secret?: boolean;
  /** A bad value closes what the option guards (design.md §10) instead of falling back to the default. */
  readonly security?: boolean;
  /** A live change would give cached pages other keys. */
  readonly rekeys?: boolean;
}

export interface NumberOption extends Common {
  readonly kind: 'number';
  readonly unit: 'ms' | 'bytes' | 'count' | 'share' | 'factor';
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
}
export interface FlagOption extends Common {
  readonly kind: 'flag';
  readonly default: boolean;
}
export interface TextOption extends Common {
  readonly kind: 'text';
  readonly default: string;
  readonly maxLength: number;
  /** Regular expression that the value has to match, and what it means in words. */
  readonly pattern?: string;
  readonly patternMeaning?: string;
}
export interface ChoiceOption<T extends string = string> extends Common {
  readonly kind: 'choice';
  readonly choices: readonly T[];
  readonly default: T;
}
export interface TextListOption extends Common {
  readonly kind: 'text-list';
  readonly default: readonly string[];
  readonly itemPattern?: string;
  readonly itemMeaning?: string;
  /** Fewest items. Default: 0. */
  readonly minItems?: number;
}
export interface TextMapOption extends Common {
  readonly kind: 'text-map';
  readonly default: Readonly<Record<string, string>>;
  readonly valuePattern?: string;
  readonly valueMeaning?: string;
}
/** A list of objects, each described by descriptors of its own; `T` is the shape of one. */
export interface ObjectListOption<T = unknown> extends Common {
  readonly kind: 'object-list';
  readonly default: readonly T[];
  readonly fields: Readonly<Record<string, FieldDescriptor>>;
}
/** One object of shape `T`, described by descriptors of its own; `null` when it is not given. */
export interface ObjectOption<T = unknown> extends Common {
  readonly kind: 'object';
  readonly default: T | null;
  readonly fields: Readonly<Record<string, FieldDescriptor>>;
}
/**
 * A field of an object: filled with its default when it is not given, or left absent when `optional`; a `required` one
 * has to be given. When fields of a list's objects are marked `rekeys`, only they decide whether a change re-keys pages.
 */
export type FieldDescriptor = OptionDescriptor & { readonly optional?: boolean; readonly required?: boolean };

export type OptionDescriptor =
  | NumberOption
  | FlagOption
  | TextOption
  | ChoiceOption
  | TextListOption
  | TextMapOption
  | ObjectListOption
  | ObjectOption;

/** Options and sub-groups by name. */
export interface OptionGroup {
  readonly [name: string]: OptionDescriptor | OptionGroup;
}

/** The resolved value's type of a group of descriptors. */
export type ConfigOf<G> =
  G extends ObjectListOption<infer T>
    ? readonly T[]
    : G extends ObjectOption<infer O>
      ? O | null
      : G extends ChoiceOption<infer C>
        ? C
        : G extends NumberOption
          ? number
          : G extends FlagOption
            ? boolean
            : G extends TextOption
              ? string
              : G extends TextListOption
                ? readonly string[]
                : G extends TextMapOption
                  ? Readonly<Record<string, string>>
                  : { readonly [K in keyof G]: ConfigOf<G[K]> };

/** Tells an option from a group of options: a group has no `kind` that is a string. */
export function isOption(entry: OptionDescriptor | OptionGroup): entry is OptionDescriptor {
  return typeof (entry as { kind?: unknown }).kind === 'string';
}

type Extra<T extends Common> = Omit<T, 'kind' | 'default' | 'description' | 'unit' | 'integer' | 'min' | 'max'>;

/** A time span in ms, a whole number. */
export function duration(
  defaultMs: number,
  bounds: { min: number; max: number },
  description: string,
  extra: Extra<NumberOption> = {},
): NumberOption {
  return { kind: 'number', unit: 'ms', integer: true, default: defaultMs, ...bounds, description, ...extra };
}

/** A size in bytes, a whole number. */
export function bytes(
  defaultBytes: number,
  bounds: { min: number; max: number },
  description: string,
  extra: Extra<NumberOption> = {},
): NumberOption {
  return { kind: 'number', unit: 'bytes', integer: true, default: defaultBytes, ...bounds, description, ...extra };
}

/** A whole number of things. */
export function count(
  defaultCount: number,
  bounds: { min: number; max: number },
  description: string,
  extra: Extra<NumberOption> = {},
): NumberOption {
  return { kind: 'number', unit: 'count', integer: true, default: defaultCount, ...bounds, description, ...extra };
}

/** A share between 0 and 1. */
export function share(defaultShare: number, description: string, extra: Extra<NumberOption> = {}): NumberOption {
  return {
    kind: 'number',
    unit: 'share',
    integer: false,
    default: defaultShare,
    min: 0,
    max: 1,
    description,
    ...extra,
  };
}

/** A factor, any number inside the bounds. */
export function factor(
  defaultFactor: number,
  bounds: { min: number; max: number },
  description: string,
  extra: Extra<NumberOption> = {},
): NumberOption {
  return { kind: 'number', unit: 'factor', integer: false, default: defaultFactor, ...bounds, description, ...extra };
}

export function flag(defaultValue: boolean, description: string, extra: Extra<FlagOption> = {}): FlagOption {
  return { kind: 'flag', default: defaultValue, description, ...extra };
}

export function text(
  defaultValue: string,
  description: string,
  extra: Partial<Omit<TextOption, 'kind' | 'default' | 'description'>> = {},
): TextOption {
  return { kind: 'text', default: defaultValue, maxLength: 2000, description, ...extra };
}

export function choice<const T extends string>(
  choices: readonly T[],
  defaultValue: NoInfer<T>,
  description: string,
  extra: Omit<Extra<ChoiceOption<T>>, 'choices'> = {},
): ChoiceOption<T> {
  return { kind: 'choice', choices, default: defaultValue, description, ...extra };
}

export function textList(
  defaultValue: readonly string[],
  description: string,
  extra: Extra<TextListOption> = {},
): TextListOption {
  return { kind: 'text-list', default: defaultValue, description, ...extra };
}

export function textMap(
  defaultValue: Readonly<Record<string, string>>,
  description: string,
  extra: Extra<TextMapOption> = {},
): TextMapOption {
  return { kind: 'text-map', default: defaultValue, description, ...extra };
}

/** A list of objects of shape `T`; `fields` describe every key that `T` may have. */
export function objectList<T>(
  fields: Readonly<Record<keyof T & string, FieldDescriptor>>,
  description: string,
  extra: Omit<Extra<ObjectListOption<T>>, 'fields'> = {},
): ObjectListOption<T> {
  return { kind: 'object-list', default: [], fields, description, ...extra };
}

/** An object of shape `T`, absent by default; `fields` describe every key that `T` may have. */
export function object<T>(
  fields: Readonly<Record<keyof T & string, FieldDescriptor>>,
  description: string,
  extra: Omit<Extra<ObjectOption<T>>, 'fields'> = {},
): ObjectOption<T> {
  return { kind: 'object', default: null, fields, description, ...extra };
}
