import type { Finding } from './finding.ts';
import { isOption, type OptionDescriptor, type OptionGroup } from './descriptor.ts';
import { eachOption, securityPaths } from './locate.ts';
import { OPTION_RULES } from './option-rules.ts';
import { formatPath, showValue } from './problem.ts';
import type { Validator } from './validate.ts';

/** Name of the layer below all others. */
export const DEFAULTS_LAYER = 'defaults';
/** Stands for the layer of a security option that a bad or misspelt value has closed. */
export const CLOSED = 'closed';

/** Options as one source gives them, e.g. the host's config.yaml. */
export interface Layer {
  /** As it is named to the operator: `config.yaml`. */
  readonly name: string;
  /** Not trusted to be an object. */
  readonly options: unknown;
}

/** A layer taken apart: its usable values by option path, and what is wrong with the rest. */
export interface ReadLayer {
  readonly name: string;
  readonly values: ReadonlyMap<string, unknown>;
  readonly findings: readonly Finding[];
  /** Options that were given and are not usable, or whose key is misspelt. */
  readonly spoilt: ReadonlySet<string>;
}

/** Reads a layer. Never throws, whatever the options are. */
export function readLayer(layer: Layer, validator: Validator): ReadLayer {
  const { group } = validator;
  if (layer.options === undefined || layer.options === null) {
    return { name: layer.name, values: new Map(), findings: [], spoilt: new Set() };
  }
  if (!isObject(layer.options)) return unusable(layer, group);
  const options = withoutEmptyGroups(layer.options, group);
  const findings = validator.check(options);
  const spoilt = new Set(findings.flatMap(({ spoils, closes }) => [...spoils, ...closes]));
  const values = new Map<string, unknown>();
  for (const [path, option] of eachOption(group)) {
    const value = valueOf(options, path);
    if (value === undefined || spoilt.has(path)) continue;
    const broken = checkRule(path, option, value);
    findings.push(...broken);
    if (broken.length > 0) spoilt.add(path);
    else values.set(path, complete(option, value));
  }
  return { name: layer.name, values, findings, spoilt };
}

function unusable({ name, options }: Layer, group: OptionGroup): ReadLayer {
  const security = securityPaths(group);
  const finding: Finding = {
    path: '',
    value: showValue(options),
    problem: 'is no object of options',
    hint: `Known options: ${Object.keys(group).join(', ')}`,
    spoils: [],
    closes: security,
  };
  return { name, values: new Map(), findings: [finding], spoilt: new Set(security) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Drops groups without a value, as YAML gives them when every line below is a comment, and undefined values. */
function withoutEmptyGroups(options: Record<string, unknown>, group: OptionGroup): Record<string, unknown> {
  const kept = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(options)) {
    const value = options[key];
    const entry = Object.hasOwn(group, key) ? group[key] : undefined;
    const isGroup = entry !== undefined && !isOption(entry);
    if (value === undefined || (isGroup && value === null)) continue;
    kept[key] = isGroup && isObject(value) ? withoutEmptyGroups(value, entry) : value;
  }
  return kept;
}

function valueOf(options: Record<string, unknown>, path: string): unknown {
  let value: unknown = options;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function checkRule(path: string, option: OptionDescriptor, value: unknown): Finding[] {
  const found = Object.hasOwn(OPTION_RULES, path) ? (OPTION_RULES[path]?.(value) ?? []) : [];
  return found.map((finding) => ({
    path: formatPath([...path.split('.'), ...finding.segments]),
    value: showValue(finding.value, option.secret),
    problem: finding.problem,
    hint: finding.hint,
    spoils: [path],
    closes: [],
  }));
}

/** A copy of an accepted value of its own, with the defaults of fields that are not given. */
export function complete(option: OptionDescriptor, value: unknown): unknown {
  if (value === null) return null;
  switch (option.kind) {
    case 'text-map':
      // Without a prototype, so that a host called `constructor` finds nothing.
      return Object.assign(Object.create(null), option.default, value) as unknown;
    case 'text-list':
      return [...(value as readonly string[])];
    case 'object-list':
      return (value as readonly unknown[]).map((item) => completeFields(option.fields, item));
    case 'object':
      return completeFields(option.fields, value);
    default:
      return value;
  }
}

function completeFields(
  fields: Readonly<Record<string, OptionDescriptor & { optional?: boolean; required?: boolean }>>,
  value: unknown,
): Record<string, unknown> {
  const given = value as Record<string, unknown>;
  const object: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    if (own !== undefined) object[name] = complete(field, own);
    else if (!field.optional && !field.required) object[name] = complete(field, field.default);
  }
  return object;
}
