import { isOption, type OptionDescriptor, type OptionGroup } from './descriptor.ts';
import { showNumber } from './hints.ts';
import { CLOSED, complete, DEFAULTS_LAYER, readLayer, type Layer, type ReadLayer } from './layer.ts';
import { eachOption } from './locate.ts';
import { problemOf, showValue, type Problem } from './problem.ts';
import { OPTIONS, type Config } from './schema.ts';
import { createValidator, type Validator } from './validate.ts';
import { warningsOf } from './warnings.ts';

/** A configuration put together from its layers. */
export interface Resolved {
  /** Complete and deeply frozen. */
  readonly config: Config;
  readonly problems: readonly Problem[];
  /** Values by option path, as they stand in `config`. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Options of which some layer has a value that is not usable. */
  readonly spoilt: ReadonlySet<string>;
  /** The layer that the value in force comes from: its name, `defaults`, or `closed`. */
  layerOf(path: string): string;
}

/**
 * Puts the layers together, later ones over earlier ones, all over the defaults; an option is taken whole. Never throws: a
 * bad value leaves its option as the layers below have it and is a problem; a bad or misspelt security option is closed,
 * which is what its default says: no host, no private address, no token.
 */
export function resolveConfig(
  layers: readonly Layer[],
  validator: Validator = createValidator(OPTIONS),
  warnings: typeof warningsOf = warningsOf,
): Resolved {
  const { group } = validator;
  const read = layers.map((layer) => readLayer(layer, validator));
  const values = new Map<string, unknown>();
  const origins = new Map<string, string>();
  for (const [path, option] of eachOption(group)) {
    const [value, origin] = choose(path, option, read);
    values.set(path, deepFreeze(value));
    origins.set(path, origin);
  }
  // The validator has accepted each value, and each option has one.
  const config = assemble(group, values) as Config;
  const layerOf = (path: string): string => origins.get(path) ?? DEFAULTS_LAYER;
  return {
    config,
    problems: [...read.flatMap((layer) => problemsOf(layer, group, values, origins)), ...warnings(config, layerOf)],
    values,
    spoilt: new Set(read.flatMap((layer) => [...layer.spoilt])),
    layerOf,
  };
}

function choose(path: string, option: OptionDescriptor, layers: readonly ReadLayer[]): [unknown, string] {
  let chosen: [unknown, string] = [complete(option, option.default), DEFAULTS_LAYER];
  for (const layer of layers) {
    if (layer.values.has(path)) chosen = [layer.values.get(path), layer.name];
    else if (option.security === true && layer.spoilt.has(path)) chosen = [complete(option, option.default), CLOSED];
  }
  return chosen;
}

/** The frozen object of a group from the values of its options by path. */
export function assemble(group: OptionGroup, values: ReadonlyMap<string, unknown>, prefix = ''): unknown {
  const object: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(group)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    object[name] = isOption(entry) ? values.get(path) : assemble(entry, values, path);
  }
  return Object.freeze(object);
}

function problemsOf(
  layer: ReadLayer,
  group: OptionGroup,
  values: ReadonlyMap<string, unknown>,
  origins: ReadonlyMap<string, string>,
): Problem[] {
  const options = new Map(eachOption(group));
  return layer.findings.map(({ path, value, problem, hint, spoils, closes }) => {
    const consequences = [...new Set([...spoils, ...closes])].map((at) => {
      const option = options.get(at);
      return option === undefined ? '' : consequence(at, option, values.get(at), origins.get(at) ?? DEFAULTS_LAYER);
    });
    const unused = spoils.length === 0 && closes.length === 0 ? ['It is not used'] : [];
    return problemOf({
      severity: 'error',
      path,
      value,
      problem,
      hint,
      layer: layer.name,
      consequence: [...unused, ...consequences].join('; '),
    });
  });
}

function consequence(path: string, option: OptionDescriptor, value: unknown, origin: string): string {
  if (origin === CLOSED) return `\`${path}\` is closed: ${CLOSED_MEANING[path] ?? 'nothing is allowed'}`;
  const shown =
    option.kind === 'number' && typeof value === 'number' ? showNumber(option, value) : showValue(value, option.secret);
  return `\`${path}\` is ${shown} (${origin})`;
}

/** What each closed security option means; for those not named, that nothing is allowed. */
const CLOSED_MEANING: Readonly<Record<string, string>> = {
  domains: 'every proxy request is refused',
  'ingress.skipToken': 'nobody may skip the cache',
  'origin.privateAddresses': 'no private address is asked',
  'origin.bypassToken': 'no bypass token is sent',
};

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
