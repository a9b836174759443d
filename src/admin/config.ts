import type { ConfigStore } from '../config/config-store.ts';
import { isOption, type OptionGroup } from '../config/descriptor.ts';
import { OPTIONS } from '../config/schema.ts';
import type { AdminRoute } from './router.ts';

/** `GET /config`: every option with its value in force and the layer it comes from, what is wrong, what waits for a restart. */
export function configRoutes(store: ConfigStore): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/config',
      handle: () => ({
        options: effective(OPTIONS, store.current(), store),
        problems: store.problems(),
        pending: store.pending(),
      }),
    },
  ];
}

interface EffectiveOption {
  readonly path: string;
  readonly value: unknown;
  readonly layer: string;
}

function effective(group: OptionGroup, values: unknown, store: ConfigStore, prefix = ''): EffectiveOption[] {
  return Object.entries(group).flatMap(([name, entry]) => {
    const path = `${prefix}${name}`;
    const value = (values as Record<string, unknown>)[name];
    if (!isOption(entry)) return effective(entry, value, store, `${path}.`);
    const shown = entry.secret && value !== '' ? '(secret)' : value;
    return [{ path, value: shown, layer: store.layerOf(path) }];
  });
}
