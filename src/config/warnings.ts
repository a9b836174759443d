import { isPublicAddress, literalAddress } from '../url/address.ts';
import { ANY_HOST } from '../url/host.ts';
import type { RouteOptions } from '../url/routes.ts';
import { problemOf, showValue, type Problem } from './problem.ts';
import { CLOSED } from './layer.ts';
import type { Config } from './schema.ts';

const PRODUCT_TOKEN = 'HarperPrerender/';

type Warning = readonly [path: string, value: unknown, problem: string, hint: string];

/** What is usable and yet hardly meant, over the whole configuration. */
export function warningsOf(config: Config, layerOf: (path: string) => string): Problem[] {
  const found: Warning[] = [
    ...domainWarnings(config, layerOf('domains')),
    ...routeWarnings(config.ingress.routes),
    ...upstreamWarnings(config),
    ...renderWarnings(config),
  ];
  return found.map(([path, value, problem, hint]) =>
    problemOf({
      severity: 'warning',
      path,
      value: showValue(value),
      problem,
      hint,
      layer: layerOf(path.replace(/\[.*$/, '')),
      consequence: '',
    }),
  );
}

function domainWarnings({ domains }: Config, layer: string): Warning[] {
  // What closed it is reported as an error.
  if (layer === CLOSED) return [];
  if (domains.length === 0) {
    return [
      ['domains', [], 'is empty, so every proxy request is refused', "List the hosts of the shop, or ['*'] for any"],
    ];
  }
  if (!domains.includes(ANY_HOST)) return [];
  return [['domains', domains, 'allows any host: this is an open proxy', 'List the hosts of the shop']];
}

function routeWarnings(routes: readonly RouteOptions[]): Warning[] {
  return routes.flatMap((route, index): Warning[] => {
    const first = routes.findIndex((earlier, at) => at < index && covers(earlier, route));
    if (first < 0) return [];
    const problem = `can never match: \`ingress.routes[${first}]\` (${routes[first]?.match} ${routes[first]?.path}) takes all of its paths`;
    return [[`ingress.routes[${index}]`, `${route.match} ${route.path}`, problem, 'Put it first, or remove it']];
  });
}

/** Whether every path of `later` is one of `earlier`; never true where that is not certain. */
function covers(earlier: RouteOptions, later: RouteOptions): boolean {
  if (earlier.match === later.match && earlier.path === later.path) return true;
  if (later.match === 'regex' || earlier.match === 'regex' || earlier.match === 'exact') return false;
  if (earlier.match === 'contains') return later.path.includes(earlier.path);
  return later.match !== 'contains' && later.path.startsWith(earlier.path);
}

function upstreamWarnings({ origin }: Config): Warning[] {
  return Object.entries(origin.upstreams).flatMap(([host, address]): Warning[] => {
    if (!URL.canParse(address)) return [];
    const { hostname, port, protocol } = new URL(address);
    const literal = hostname === 'localhost' ? '127.0.0.1' : literalAddress(hostname);
    const realPort = port || (protocol === 'https:' ? '443' : '80');
    const needed = `${hostname}:${realPort}`;
    if (literal === undefined || isPublicAddress(literal)) return [];
    if ([needed, `${literal}:${realPort}`, `[::1]:${realPort}`].some((one) => origin.privateAddresses.includes(one)))
      return [];
    return [
      [
        'origin.upstreams',
        `${host}: ${address}`,
        'is a private address that will be refused',
        `Add '${needed}' to \`origin.privateAddresses\``,
      ],
    ];
  });
}

function renderWarnings({ render, origin }: Config): Warning[] {
  const found: Warning[] = [];
  if (render.renderBudget >= render.leaseTime) {
    found.push([
      'render.renderBudget',
      render.renderBudget,
      'is not shorter than `render.leaseTime`, so results come after their lease',
      `Use less than ${render.leaseTime}`,
    ]);
  }
  if (render.backoff.max < render.backoff.initial) {
    found.push([
      'render.backoff.max',
      render.backoff.max,
      'is shorter than `render.backoff.initial`',
      `Use at least ${render.backoff.initial}`,
    ]);
  }
  for (const device of render.devices) {
    const userAgent = origin.userAgents[device];
    if (userAgent === undefined) {
      found.push(['render.devices', device, 'has no user agent', `Add '${device}' to \`origin.userAgents\``]);
    } else if (!userAgent.includes(PRODUCT_TOKEN)) {
      const problem = 'lacks the product token by which our own requests are known';
      found.push(['origin.userAgents', userAgent, problem, `Add '${PRODUCT_TOKEN}1.0' to it`]);
    }
  }
  return found;
}
