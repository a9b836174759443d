import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Finding } from './finding.ts';
import type { OptionDescriptor, OptionGroup } from './descriptor.ts';
import { acceptedSpelling, kindOfValue, showNumber, typeHint, wantedWords } from './hints.ts';
import { schemaOfGroup } from './json-schema.ts';
import { eachOption, locate, securityPaths, type Spot } from './locate.ts';
import { formatPath, showValue } from './problem.ts';
import { unknownKey } from './unknown-key.ts';
import { nearKeys } from './nearest-key.ts';

/** Checks the options of one layer against descriptors. */
export interface Validator {
  readonly group: OptionGroup;
  /** Everything wrong, each place once, in the order of the options. Never throws. */
  check(options: Record<string, unknown>): Finding[];
}

/** Compiles the schema of `group`; takes some ms, so keep it. */
export function createValidator(group: OptionGroup): Validator {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true });
  const validate: ValidateFunction = ajv.compile(schemaOfGroup(group));
  return {
    group,
    check(options) {
      if (validate(options)) return [];
      const seen = new Map<string, Finding>();
      for (const error of validate.errors ?? []) {
        const finding = explain(group, error);
        if (!seen.has(finding.path) || error.keyword === 'type') seen.set(finding.path, finding);
      }
      return [...seen.values()];
    },
  };
}

function explain(group: OptionGroup, error: ErrorObject): Finding {
  const keys = error.instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const spot = locate(group, keys);
  if (error.keyword === 'additionalProperties') {
    const key = String((error.params as { additionalProperty: string }).additionalProperty);
    return unknownKey(group, spot, key, (error.data as Record<string, unknown>)[key]);
  }
  if (error.keyword === 'required') {
    const missing = String((error.params as { missingProperty: string }).missingProperty);
    const field = locate(group, [...keys, missing]);
    const description = field.wanted.kind === 'option' ? field.wanted.option.description : '';
    return finding(field, undefined, 'is missing', description.replace(/\.$/, ''));
  }
  return finding(spot, error.data, ...wrongValue(spot, error), error.keyword === 'type' ? openAbove(spot) : []);
}

function finding(spot: Spot, value: unknown, problem: string, hint: string, closes: readonly string[] = []): Finding {
  return {
    path: formatPath(spot.segments),
    value: showValue(value, spot.secret || holdsSecret(spot)),
    problem,
    hint,
    spoils: spot.optionPath === undefined ? [] : [spot.optionPath],
    closes,
  };
}

/** What stands in place of a whole group may hold its secrets in any form. */
function holdsSecret({ wanted }: Spot): boolean {
  return wanted.kind === 'group' && [...eachOption(wanted.group)].some(([, option]) => option.secret === true);
}

/** A group that is no object says nothing usable about the security options in it. */
function openAbove(spot: Spot): string[] {
  return spot.wanted.kind === 'group' ? securityPaths(spot.wanted.group, spot.segments.join('.')) : [];
}

function wrongValue(spot: Spot, error: ErrorObject): [problem: string, hint: string] {
  const option = spot.wanted.kind === 'option' ? spot.wanted.option : undefined;
  switch (error.keyword) {
    case 'type':
      return wrongType(spot, error.data);
    case 'enum':
      return wrongChoice(option, error.data);
    case 'minimum':
    case 'maximum':
      return outOfBounds(option, error);
    case 'pattern':
      return wrongPattern(spot, error.data);
    case 'maxLength':
      return ['is too long', `At most ${(error.params as { limit: number }).limit} characters`];
    case 'minItems':
      return ['has too few entries', `At least ${(error.params as { limit: number }).limit}`];
    default:
      return [error.message ?? 'is not usable', ''];
  }
}

function wrongType(spot: Spot, value: unknown): [string, string] {
  const whole = typeof value === 'number' && spot.wanted.kind === 'option' && spot.wanted.option.kind === 'number';
  const is = whole ? 'is not a whole number' : `is ${kindOfValue(value)}`;
  const hint = spot.secret && value !== null ? '' : typeHint(spot.wanted, value);
  return [`${is} where ${wantedWords(spot.wanted)} is wanted`, hint];
}

function wrongChoice(option: OptionDescriptor | undefined, value: unknown): [string, string] {
  if (option?.kind !== 'choice') return ['is not one of the choices', ''];
  const near = nearKeys(String(value), option.choices)[0];
  return [
    `is not one of ${option.choices.join(', ')}`,
    near === undefined ? `Use one of them; the default is ${option.default}` : `Did you mean ${near}?`,
  ];
}

function outOfBounds(option: OptionDescriptor | undefined, error: ErrorObject): [string, string] {
  if (option?.kind !== 'number') return ['is out of bounds', ''];
  const side = error.keyword === 'minimum' ? 'too small' : 'too large';
  return [
    `is ${side}`,
    `Use ${showNumber(option, option.min)} to ${showNumber(option, option.max)}; the default is ${showNumber(option, option.default)}`,
  ];
}

function wrongPattern(spot: Spot, value: unknown): [string, string] {
  const { wanted } = spot;
  const [pattern, meaning] =
    wanted.kind === 'item'
      ? [wanted.pattern, wanted.meaning]
      : wanted.kind === 'option' && wanted.option.kind === 'text'
        ? [wanted.option.pattern, wanted.option.patternMeaning]
        : [undefined, undefined];
  const better =
    typeof value === 'string' && pattern !== undefined && !spot.secret ? acceptedSpelling(value, pattern) : undefined;
  return [
    meaning === undefined ? 'does not have the form that is wanted' : `is not ${meaning}`,
    better === undefined ? '' : `Write '${better}'`,
  ];
}
