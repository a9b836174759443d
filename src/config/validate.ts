import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isOption, type OptionDescriptor, type OptionGroup } from './descriptor.ts';
import { acceptedSpelling, kindOfValue, showNumber, typeHint, wantedWords } from './hints.ts';
import { schemaOfGroup } from './json-schema.ts';
import { eachOption, locate, type Spot } from './locate.ts';
import { formatPath, showValue, soundsSecret } from './problem.ts';
import { nearKeys } from './nearest-key.ts';

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
  if (error.keyword === 'additionalProperties') return unknownKey(group, spot, error);
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
    value: showValue(value, spot.secret),
    problem,
    hint,
    spoils: spot.optionPath === undefined ? [] : [spot.optionPath],
    closes,
  };
}

/** A group that is no object says nothing usable about the security options in it. */
function openAbove(spot: Spot): string[] {
  return spot.wanted.kind === 'group' ? securityPaths(spot.wanted.group, spot.segments.join('.')) : [];
}

function securityPaths(group: OptionGroup, prefix: string): string[] {
  return [...eachOption(group, prefix)].filter(([, option]) => option.security === true).map(([path]) => path);
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
  return [`${is} where ${wantedWords(spot.wanted)} is wanted`, typeHint(spot.wanted, value)];
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

function unknownKey(group: OptionGroup, spot: Spot, error: ErrorObject): Finding {
  const key = String((error.params as { additionalProperty: string }).additionalProperty);
  const value = (error.data as Record<string, unknown>)[key];
  const known = knownKeys(spot);
  const near = nearKeys(key, known);
  const path = formatPath([...spot.segments, key]);
  const elsewhere = pathsEndingIn(group, key);
  const hint =
    elsewhere.length > 0
      ? `It is known as \`${elsewhere.join('` and `')}\`${key.includes('.') ? ': one key below the other, without dots' : ''}`
      : near.length > 0
        ? `Did you mean \`${formatPath([...spot.segments, near[0] ?? ''])}\`?`
        : `Known here: ${known.join(', ')}`;
  const closes = [...closedByMisspelling(spot, near, value), ...elsewhere.filter((at) => isSecurity(group, at))];
  const secret =
    spot.secret || soundsSecret(key) || [...closes, ...elsewhere].some((at) => locate(group, at.split('.')).secret);
  return {
    path,
    value: showValue(value, secret),
    problem: 'is not a known option',
    hint,
    spoils: spot.optionPath === undefined ? [] : [spot.optionPath],
    closes,
  };
}

function knownKeys(spot: Spot): string[] {
  const { wanted } = spot;
  if (wanted.kind === 'group') return Object.keys(wanted.group);
  if (wanted.kind === 'object') return Object.keys(wanted.fields);
  return wanted.kind === 'option' && wanted.option.kind === 'object' ? Object.keys(wanted.option.fields) : [];
}

/** Options elsewhere that a key names by their last part or, dotted, by their path. */
function pathsEndingIn(group: OptionGroup, key: string): string[] {
  const wanted = key.toLowerCase();
  return [...eachOption(group)]
    .map(([path]) => path)
    .filter((path) => path.toLowerCase() === wanted || path.toLowerCase().endsWith(`.${wanted}`));
}

function isSecurity(group: OptionGroup, path: string): boolean {
  const { wanted } = locate(group, path.split('.'));
  return wanted.kind === 'option' && wanted.option.security === true;
}

/** The security options that a misspelt key may have been meant for. */
function closedByMisspelling(spot: Spot, near: readonly string[], value: unknown): string[] {
  if (spot.wanted.kind !== 'group') return [];
  const closed: string[] = [];
  for (const name of near) {
    const entry = spot.wanted.group[name];
    const path = [...spot.segments, name].join('.');
    if (entry === undefined) continue;
    if (isOption(entry)) closed.push(...(entry.security === true ? [path] : []));
    else closed.push(...namedIn(entry, path, value));
  }
  return closed;
}

/** The security options of a group that the keys of `value` name, well spelt or not. */
function namedIn(group: OptionGroup, prefix: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return securityPaths(group, prefix);
  const spot: Spot = { segments: prefix.split('.'), secret: false, wanted: { kind: 'group', group } };
  const named: string[] = [];
  for (const [key, inner] of Object.entries(value as Record<string, unknown>)) {
    named.push(...closedByMisspelling(spot, nearKeys(key, Object.keys(group)), inner));
  }
  return named;
}
