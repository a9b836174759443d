import { isDeepStrictEqual } from 'node:util';
import { describeError } from '../errors.ts';
import type { Logger } from '../harper/logger.ts';
import type { OptionGroup } from './descriptor.ts';
import { DEFAULTS_LAYER, type Layer } from './layer.ts';
import { eachOption } from './locate.ts';
import { problemOf, showValue, type Problem } from './problem.ts';
import { isRekeying } from './rekeying.ts';
import { assemble, resolveConfig, type Resolved } from './resolve.ts';
import { OPTIONS, type Config, type ConfigSource } from './schema.ts';
import type { SourceUpdate } from './sources.ts';
import { createValidator, type Validator } from './validate.ts';
import { warningsOf } from './warnings.ts';

/** A change that is read and checked and not in force. */
export interface PendingChange {
  readonly path: string;
  /** As they may be shown. */
  readonly inForce: string | null;
  readonly wanted: string | null;
  /** `restart`: the option is read once, at boot. `rekeys`: live, it would orphan the cached pages. */
  readonly why: 'restart' | 'rekeys';
  /** In one line. */
  readonly text: string;
}

/** What became of a changed configuration. */
export type ApplyResult = 'applied' | 'unchanged' | 'refused';

/** Holds the configuration in force and changes it live. */
export interface ConfigStore extends ConfigSource {
  /**
   * Takes the options of a layer (the first when none is named) in place of those it had. When any of them is bad, nothing
   * changes. Never throws.
   */
  apply(options: unknown, layerName?: string): ApplyResult;
  /** Takes what a source reports: options, or that they cannot be read. */
  accept(update: SourceUpdate): ApplyResult;
  /** What is wrong with the configuration in force, and with a changed one that was refused since. */
  problems(): readonly Problem[];
  pending(): readonly PendingChange[];
  /** The layer that a value in force comes from. */
  layerOf(path: string): string;
}

export interface ConfigStoreDeps {
  readonly logger: Logger;
  /** Of OPTIONS when left out; tests bring descriptors of their own. */
  readonly validator?: Validator;
  /** What is usable and hardly meant; of OPTIONS when left out. */
  readonly warnings?: typeof warningsOf;
}

const STAYS = 'The whole configuration stays as it was';

/** Resolves the layers as at boot and logs what is wrong with them. */
export function createConfigStore(initialLayers: readonly Layer[], deps: ConfigStoreDeps): ConfigStore {
  const { logger, validator = createValidator(OPTIONS), warnings = warningsOf } = deps;
  const listeners = new Set<(next: Config, previous: Config) => void>();
  let layers = initialLayers;
  let inForce: Resolved = resolveConfig(layers, validator, warnings);
  let refused: readonly Problem[] = [];
  let pending: readonly PendingChange[] = [];
  logProblems(logger, inForce.problems);

  const refuse = (problems: readonly Problem[]): ApplyResult => {
    refused = problems;
    logProblems(logger, problems);
    return 'refused';
  };

  const swap = (next: Resolved): void => {
    const previous = inForce;
    inForce = next;
    for (const listener of listeners) {
      try {
        listener(next.config, previous.config);
      } catch (error) {
        logger.error(`A part could not take the changed configuration: ${describeError(error)}`);
      }
    }
  };

  const apply = (options: unknown, layerName = layers[0]?.name ?? DEFAULTS_LAYER): ApplyResult => {
    const nextLayers = withLayer(layers, { name: layerName, options });
    const wanted = resolveConfig(nextLayers, validator, warnings);
    const bad = wanted.problems.filter(({ severity, layer }) => severity === 'error' && layer === layerName);
    if (bad.length > 0) return refuse(bad.map((problem) => problemOf({ ...problem, consequence: STAYS })));
    layers = nextLayers;
    refused = [];
    const held = holdBack(validator.group, inForce, wanted);
    for (const { text } of held.pending) if (!pending.some((known) => known.text === text)) logger.warn(text);
    pending = held.pending;
    const changed = changedPaths(inForce, held.next);
    if (changed.length === 0) {
      inForce = { ...held.next, config: inForce.config };
      return 'unchanged';
    }
    logger.info(`Configuration changed: ${changed.join(', ')}`);
    swap(held.next);
    return 'applied';
  };

  return {
    apply,
    accept: (update) => (update.ok ? apply(update.layer.options, update.layer.name) : refuse([update.problem])),
    current: () => inForce.config,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    problems: () => [...inForce.problems, ...refused],
    pending: () => pending,
    layerOf: (path) => inForce.layerOf(path),
  };
}

function logProblems(logger: Logger, problems: readonly Problem[]): void {
  for (const { severity, text } of problems) logger[severity === 'error' ? 'error' : 'warn'](text);
}

function withLayer(layers: readonly Layer[], changed: Layer): readonly Layer[] {
  const known = layers.some(({ name }) => name === changed.name);
  return known ? layers.map((layer) => (layer.name === changed.name ? changed : layer)) : [...layers, changed];
}

function changedPaths(before: Resolved, after: Resolved): string[] {
  return [...after.values.keys()].filter((path) => !isDeepStrictEqual(before.values.get(path), after.values.get(path)));
}

/** The wanted configuration with the options that must not change live as they are. */
function holdBack(
  group: OptionGroup,
  inForce: Resolved,
  wanted: Resolved,
): { next: Resolved; pending: readonly PendingChange[] } {
  const values = new Map(wanted.values);
  const pending: PendingChange[] = [];
  for (const [path, option] of eachOption(group)) {
    const [from, to] = [inForce.values.get(path), wanted.values.get(path)];
    if (isDeepStrictEqual(from, to)) continue;
    // What stood in for a bad value is not what pages were stored under.
    const stoodIn = inForce.spoilt.has(path);
    const why =
      option.reload === 'restart' ? 'restart' : isRekeying(option, from, to) && !stoodIn ? 'rekeys' : undefined;
    if (why === undefined) continue;
    values.set(path, from);
    const [shownFrom, shownTo] = [showValue(from, option.secret), showValue(to, option.secret)];
    pending.push({ path, inForce: shownFrom, wanted: shownTo, why, text: pendingText(path, why, shownFrom, shownTo) });
  }
  if (pending.length === 0) return { next: wanted, pending };
  const held = new Set(pending.map(({ path }) => path));
  const next: Resolved = {
    ...wanted,
    values,
    config: assemble(group, values) as Config,
    layerOf: (path) => (held.has(path) ? inForce : wanted).layerOf(path),
  };
  return { next, pending };
}

function pendingText(path: string, why: PendingChange['why'], from: string | null, to: string | null): string {
  const reason =
    why === 'restart'
      ? 'it is read at boot: restart Harper to apply it'
      : 'it would re-key cached pages, which needs a census: restart Harper to apply it all the same';
  return `\`${path}\` stays ${from} and does not become ${to}: ${reason}`;
}
