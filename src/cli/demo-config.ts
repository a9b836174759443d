import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { CliError } from './cli-error.ts';
import { COMPONENT_NAME } from './host-app.ts';
import type { ComponentOptions } from './host-app.ts';

/** The public host under which the sample shop is served: `.example` never resolves, so nothing leaves this machine. */
export const SHOP_HOST = 'shop.example';
export const SHOP_PUBLIC_ORIGIN = `http://${SHOP_HOST}`;

/** The document of a host's config.yaml. */
export type HostDocument = Readonly<Record<string, unknown>>;

/** Where a worker has to send the requests for a public host, in the form of its flags. */
export interface WorkerRouting {
  /** `public-host=http://address:port` */
  map: string[];
  /** `host:port` */
  privateAddresses: string[];
}

/** Ms within which a new page of the demo is first rendered: in production renders are spread over an hour. */
const DEMO_FIRST_RENDER = 2_000;

/** The config.yaml of a start without `--config`: a closed proxy, until the shop is added. */
export function emptyDocument(): HostDocument {
  return { [COMPONENT_NAME]: { package: COMPONENT_NAME, files: '/' } };
}

/** Reads a host's config.yaml. Throws CliError (exit code 2) when it is missing, broken or does not mount the component. */
export function readDocument(file: string): HostDocument {
  let document: unknown;
  try {
    document = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split(':\n');
    throw new CliError(`--config ${file} cannot be read: ${reason}`, 2, { cause: error });
  }
  if (!isRecord(document) || !isRecord(document[COMPONENT_NAME])) {
    throw new CliError(
      `--config ${file} mounts nothing: the component's options must stand under "${COMPONENT_NAME}:"`,
      2,
    );
  }
  return document;
}

/** The options of the component in a document. */
export function optionsOf(document: HostDocument): ComponentOptions {
  const options = document[COMPONENT_NAME];
  return isRecord(options) ? options : {};
}

/** The text of the app's config.yaml: the document with the sample shop (listening at `shopOrigin`, if any) added. */
export function documentText(document: HostDocument, shopOrigin: string | undefined): string {
  const options = shopOrigin === undefined ? optionsOf(document) : withShop(optionsOf(document), shopOrigin);
  return stringify({ ...document, [COMPONENT_NAME]: { files: '/', ...options, package: COMPONENT_NAME } });
}

/** Options that serve the sample shop beside whatever they serve already. What they say themselves is kept. */
export function withShop(options: ComponentOptions, shopOrigin: string): ComponentOptions {
  const origin = recordAt(options, 'origin');
  const ingress = recordAt(options, 'ingress');
  return {
    ...options,
    domains: appended(options.domains, SHOP_HOST),
    origin: {
      ...origin,
      upstreams: { ...recordAt(origin, 'upstreams'), [SHOP_HOST]: shopOrigin },
      privateAddresses: appended(origin.privateAddresses, new URL(shopOrigin).host),
    },
    ingress: {
      ...ingress,
      routes: [...listAt(ingress, 'routes'), ...shopRoutes()],
    },
    render: { firstRenderWithin: DEMO_FIRST_RENDER, ...recordAt(options, 'render') },
  };
}

/** How the worker reaches the hosts that the options name: they are resolved as the component itself does. */
export function workerRouting(options: ComponentOptions): WorkerRouting {
  const origin = recordAt(options, 'origin');
  const upstreams = Object.entries(recordAt(origin, 'upstreams'));
  return {
    map: upstreams.map(([host, base]) => `${host}=${String(base).replace(/\/$/, '')}`),
    privateAddresses: listAt(origin, 'privateAddresses').map(String),
  };
}

function shopRoutes(): Record<string, unknown>[] {
  return [
    { match: 'prefix', path: '/product/', mode: 'prerender', queryParams: [] },
    { match: 'prefix', path: '/catalog/', mode: 'prerender', queryParams: ['CN'] },
  ];
}

function appended(list: unknown, item: string): unknown[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.includes(item) ? items : [...items, item];
}

function recordAt(options: ComponentOptions, key: string): Record<string, unknown> {
  const value = options[key];
  return isRecord(value) ? value : {};
}

function listAt(options: ComponentOptions, key: string): unknown[] {
  const value = options[key];
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
