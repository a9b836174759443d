import { join } from 'node:path';
import type { Clock, Timer } from '../harper/clock.ts';
import type { Layer } from './layer.ts';
import { problemOf, type Problem } from './problem.ts';
import { watchFile } from './watch-file.ts';
import { readYamlFile } from './yaml-file.ts';

/** What a source has to tell after a change: its options, or that they cannot be read. */
export type SourceUpdate =
  { readonly ok: true; readonly layer: Layer } | { readonly ok: false; readonly problem: Problem };

/** Where the options come from. `close` ends all subscriptions. */
export interface OptionsSource {
  /** The options at boot; none when they could not be read, which `problem` then says. */
  readonly initial: Layer;
  readonly problem: Problem | null;
  /** Calls `listener` after each change. Returns how to stop that. */
  subscribe(listener: (update: SourceUpdate) => void): () => void;
  close(): void;
}

/** The part of Harper's `scope.options` that is used. */
export interface HostOptions {
  getAll(): unknown;
  on(event: 'change', listener: () => void): unknown;
  off(event: 'change', listener: () => void): unknown;
}

export interface SourceTiming {
  readonly clock: Clock;
  /** Ms without a further change before options are read. */
  readonly quietMs?: number;
  /** Ms between looks at the file. */
  readonly pollMs?: number;
}

const LAYER = 'config.yaml';
const STAYS = 'What was in force stays';
/** Keys under a component's name in the host's config.yaml that are Harper's. */
const HOST_KEYS = new Set(['package', 'files', 'urlPath', 'timeout']);
/** Keys at the root of the component's own config.yaml that are Harper's. */
const OWN_KEYS = new Set(['rest', 'graphqlSchema', 'jsResource', 'pluginModule', 'roles']);

/**
 * Options of a component that a host app mounts. Harper gives one event per changed key and none when the file is broken, so
 * the file is watched and parsed here as well, only to say that.
 */
export function createMountedSource(
  scope: { readonly options: HostOptions; readonly configFilePath: string },
  timing: SourceTiming,
): OptionsSource {
  const { clock, quietMs = 200 } = timing;
  const listeners = new Set<(update: SourceUpdate) => void>();
  const read = (): Layer => ({ name: LAYER, options: without(scope.options.getAll(), HOST_KEYS) });
  const update = (): SourceUpdate => {
    const file = readYamlFile(scope.configFilePath);
    if (!file.ok) return { ok: false, problem: unreadable(file.reason) };
    const layer = read();
    // A mounted component has `package` at least: the block is gone, or about to be written.
    const gone = layer.options === undefined || layer.options === null;
    return gone ? { ok: false, problem: unreadable('has no options of this component') } : { ok: true, layer };
  };
  let quiet: Timer | undefined;

  const onChange = (): void => {
    quiet?.stop();
    quiet = clock.after(quietMs, () => emit(listeners, update()));
  };
  scope.options.on('change', onChange);
  const watch = watchFile(scope.configFilePath, onChange, timing);
  return {
    initial: read(),
    problem: null,
    subscribe: (listener) => subscribe(listeners, listener),
    close() {
      scope.options.off('change', onChange);
      quiet?.stop();
      watch.close();
      listeners.clear();
    },
  };
}

/** Options of a component that runs as the app itself: they stand in its own config.yaml, beside Harper's keys. */
export function createDirectSource(packageRoot: string, timing: SourceTiming): OptionsSource {
  const path = join(packageRoot, 'config.yaml');
  const listeners = new Set<(update: SourceUpdate) => void>();
  const watch = watchFile(path, () => emit(listeners, readOwnFile(path)), timing);
  const first = readOwnFile(path, 'The defaults are in force, which serve no host');
  return {
    initial: first.ok ? first.layer : { name: LAYER, options: undefined },
    problem: first.ok ? null : first.problem,
    subscribe: (listener) => subscribe(listeners, listener),
    close() {
      watch.close();
      listeners.clear();
    },
  };
}

function readOwnFile(path: string, consequence = STAYS): SourceUpdate {
  const file = readYamlFile(path);
  if (!file.ok) return { ok: false, problem: unreadable(file.reason, consequence) };
  // It names at least the schema and the entry; without them it is about to be written.
  if (file.root === null || file.root === undefined) return { ok: false, problem: unreadable('is empty', consequence) };
  return { ok: true, layer: { name: LAYER, options: without(file.root, OWN_KEYS) } };
}

function unreadable(reason: string, consequence = STAYS): Problem {
  return problemOf({
    severity: 'error',
    path: '',
    value: null,
    problem: reason,
    hint: '',
    layer: LAYER,
    consequence,
  });
}

function without(options: unknown, keys: ReadonlySet<string>): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options;
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keys.has(key)));
}

function emit(listeners: ReadonlySet<(update: SourceUpdate) => void>, update: SourceUpdate): void {
  for (const listener of listeners) listener(update);
}

function subscribe(
  listeners: Set<(update: SourceUpdate) => void>,
  listener: (update: SourceUpdate) => void,
): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
