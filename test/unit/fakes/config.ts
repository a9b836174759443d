import { resolveConfig } from '../../../src/config/resolve.ts';
import type { Config, ConfigSource } from '../../../src/config/schema.ts';

/** A configuration source whose options a test can change. */
export interface TestConfig extends ConfigSource {
  /** Puts options over those in force. */
  set(options: object): void;
}

/** The defaults with `options` over them, checked as a host's config.yaml is. */
export function testConfig(options: object = {}): TestConfig {
  const layers = [{ name: 'test', options }];
  const listeners = new Set<(next: Config, previous: Config) => void>();
  let config = resolve(layers);
  return {
    current: () => config,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set: (more) => {
      layers.push({ name: `test ${layers.length}`, options: more });
      const previous = config;
      config = resolve(layers);
      for (const listener of listeners) listener(config, previous);
    },
  };
}

function resolve(layers: { name: string; options: object }[]): Config {
  const { config, spoilt } = resolveConfig(layers);
  if (spoilt.size > 0) throw new Error(`the test's options are not usable: ${[...spoilt].join(', ')}`);
  return config;
}
