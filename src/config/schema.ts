import type { ConfigOf } from './descriptor.ts';
import { analyticsOptions, cacheKeyOptions, discoveryOptions, domainsOption } from './groups/base.ts';
import { ingressOptions } from './groups/ingress.ts';
import { originOptions } from './groups/origin.ts';
import { pageOptions } from './groups/page.ts';
import { renderOptions } from './groups/render.ts';

/** Every option there is, by path: the one source of defaults, validation, types and docs/configuration.md. */
export const OPTIONS = {
  domains: domainsOption,
  ingress: ingressOptions,
  origin: originOptions,
  cacheKey: cacheKeyOptions,
  analytics: analyticsOptions,
  discovery: discoveryOptions,
  page: pageOptions,
  render: renderOptions,
} as const;

/** The resolved configuration: every option present, frozen. A request reads one snapshot; a reload swaps it whole. */
export type Config = ConfigOf<typeof OPTIONS>;

/** Hands out the snapshot in force. */
export interface ConfigSource {
  current(): Config;
  /** Called after each swap, with the new and the previous snapshot. Returns how to stop that. */
  onChange(listener: (next: Config, previous: Config) => void): () => void;
}
