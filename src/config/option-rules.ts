import { ANY_HOST, createHostAllowList, normalizeHost } from '../url/host.ts';
import { compileRoutes, type RouteOptions } from '../url/routes.ts';

/** What a rule finds at `segments` below its option. */
export interface RuleFinding {
  readonly segments: readonly (string | number)[];
  readonly value: unknown;
  readonly problem: string;
  readonly hint: string;
}

/** Checks of single options that a JSON Schema cannot say, by option path. They get values that the schema accepts. */
export const OPTION_RULES: Readonly<Record<string, (value: unknown) => RuleFinding[]>> = {
  domains: (value) => checkDomains(value as readonly string[]),
  'ingress.prefix': (value) => checkPrefix(value as string),
  'origin.upstreams': (value) => checkUpstreams(value as Readonly<Record<string, string>>),
  'ingress.routes': (value) => checkRoutes(value as readonly RouteOptions[]),
  'origin.privateAddresses': (value) => checkPorts(value as readonly string[]),
};

function checkDomains(domains: readonly string[]): RuleFinding[] {
  return createHostAllowList(domains).invalid.map((host) => ({
    segments: [domains.indexOf(host)],
    value: host,
    problem: host.includes(ANY_HOST) ? 'has a wildcard; hosts are matched exactly' : 'is not a host',
    hint: host.includes(ANY_HOST)
      ? `List each host, or '${ANY_HOST}' alone for any`
      : 'Write a host such as www.shop.example',
  }));
}

/** Paths of this component that are no requests of crawlers. */
const OWN_PATH = /^\/(prerender_admin|render_queue|prerender_health)\//;

function checkPrefix(prefix: string): RuleFinding[] {
  if (!OWN_PATH.test(prefix)) return [];
  return [{ segments: [], value: prefix, problem: 'is a path of this service itself', hint: 'Use another, e.g. /p/' }];
}

function checkUpstreams(upstreams: Readonly<Record<string, string>>): RuleFinding[] {
  return Object.entries(upstreams).flatMap(([host, address]): RuleFinding[] => {
    const segments = [host];
    if (normalizeHost(host, 'https') === undefined) {
      return [
        { segments, value: address, problem: 'is not for a host', hint: 'Write a host such as www.shop.example' },
      ];
    }
    if (URL.canParse(address)) return [];
    return [{ segments, value: address, problem: 'is no URL', hint: 'Write a base URL, e.g. http://10.0.0.5:8080' }];
  });
}

function checkPorts(addresses: readonly string[]): RuleFinding[] {
  return addresses.flatMap((address, index) => {
    const port = Number(address.slice(address.lastIndexOf(':') + 1));
    if (port >= 1 && port <= 65_535) return [];
    return [{ segments: [index], value: address, problem: 'has no usable port', hint: 'Ports are 1 to 65535' }];
  });
}

function checkRoutes(routes: readonly RouteOptions[]): RuleFinding[] {
  return compileRoutes(routes).errors.map(({ index, option, reason }) => {
    const keys = option.split('.').filter((key) => key !== '');
    const segments = [index, ...keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key))];
    return { segments, value: valueAt(routes, segments), problem: `is not usable: ${reason}`, hint: '' };
  });
}

function valueAt(root: unknown, segments: readonly (string | number)[]): unknown {
  let value = root;
  for (const segment of segments) value = (value as Record<string | number, unknown> | undefined)?.[segment];
  return value;
}
