import type { Logger } from '../harper/logger.ts';
import { createConfigStore, type ConfigStore } from './config-store.ts';
import type { OptionsSource } from './sources.ts';

/** The configuration of a running service: the store, kept up to date from its source until `stop`. */
export interface RunningConfig {
  readonly store: ConfigStore;
  stop(): void;
}

/** Resolves what the source has now, reports what is wrong with it, and follows its changes. */
export function startConfig(source: OptionsSource, logger: Logger): RunningConfig {
  const store = createConfigStore([source.initial], { logger });
  if (source.problem !== null) store.accept({ ok: false, problem: source.problem });
  source.subscribe((update) => void store.accept(update));
  return { store, stop: () => source.close() };
}
