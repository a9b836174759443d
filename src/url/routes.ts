import { compilePattern, PATTERN_TEXT_LIMIT } from './compile-pattern.ts';
import type { EntityOptions, EntityReader } from './entity.ts';
import { compileEntity } from './entity.ts';
import { compileEscapes } from './escapes.ts';
import { ANY_PARAMETER } from './query-filter.ts';
import type { CompiledSoft404Rule, Soft404Rule } from './soft-404.ts';
import { compileSoft404 } from './soft-404.ts';

export const ROUTE_MATCHES = ['exact', 'prefix', 'contains', 'regex'] as const;
/** How a route's `path` is held against the path of the canonical URL. */
export type RouteMatch = (typeof ROUTE_MATCHES)[number];

export const ROUTE_MODES = ['prerender', 'passthrough'] as const;
/** Whether pages of the route are rendered and cached, or only fetched from the origin. */
export type RouteMode = (typeof ROUTE_MODES)[number];

/** An element of `ingress.routes`. */
export interface RouteOptions {
  readonly match: RouteMatch;
  readonly path: string;
  readonly mode: RouteMode;
  /** Query parameters that make a page of their own; `['*']` all. Default: none of a prerender route, all of a passthrough route. */
  readonly queryParams?: readonly string[];
  /** Ms between renders; default: that of the service. */
  readonly renderInterval?: number;
  /** Ms: the fastest rung of the demand ladder that its pages may reach. */
  readonly demandFloor?: number;
  /** Whether a crawler's miss may add a URL to the corpus; default true. */
  readonly discoverTargets?: boolean;
  /** Rules that tell a "not found" page which answers 200; default none. */
  readonly soft404?: readonly Soft404Rule[];
  /** CSS selectors of what a complete page must contain; default none. */
  readonly requiredSelectors?: readonly string[];
  readonly entity?: EntityOptions;
}

/** A route with its defaults filled in and its patterns compiled. */
export interface CompiledRoute {
  /** `<match>:<path>`, stable over reloads, for metrics. */
  readonly name: string;
  /** Position in `ingress.routes`. */
  readonly index: number;
  readonly options: RouteOptions;
  readonly mode: RouteMode;
  readonly queryParams: readonly string[];
  readonly renderInterval: number | undefined;
  readonly demandFloor: number | undefined;
  readonly discoverTargets: boolean;
  readonly soft404: readonly CompiledSoft404Rule[];
  readonly requiredSelectors: readonly string[];
  /** Product id of a canonical URL of this route; undefined when the route has no entity. */
  readonly productId: EntityReader | undefined;
}

/** What is wrong with a route; the route is left out of the table. */
export interface RouteError {
  readonly index: number;
  /** Path of the option inside the route, e.g. `entity.pattern`. */
  readonly option: string;
  readonly reason: string;
}

/** The routes in their order, and the errors of those that could not be compiled. */
export interface RouteTable {
  readonly routes: readonly CompiledRoute[];
  readonly errors: readonly RouteError[];
  /** The first route that matches the path of a canonical URL; undefined: the path is unclassified. */
  match(pathname: string): CompiledRoute | undefined;
}

interface Matcher {
  readonly route: CompiledRoute;
  readonly matches: (pathname: string) => boolean;
}

/** Compiles `ingress.routes`. `decodeReserved` is that of the canonicalizer, so that both spell a path alike. Never throws. */
export function compileRoutes(routes: readonly RouteOptions[], decodeReserved = ':,@'): RouteTable {
  const errors: RouteError[] = [];
  const matchers: Matcher[] = [];
  const spell = pathSpeller(decodeReserved);
  for (const [index, options] of routes.entries()) {
    const problems: RouteError[] = [];
    const report = (option: string, reason: string): void => void problems.push({ index, option, reason });
    const matches = compileMatch(options, spell, report);
    const route = compileRoute(options, index, report);
    if (problems.length === 0) matchers.push({ route, matches });
    errors.push(...problems);
  }
  return {
    routes: matchers.map(({ route }) => route),
    errors,
    match: (pathname) => matchers.find(({ matches }) => matches(pathname))?.route,
  };
}

type Report = (option: string, reason: string) => void;

function compileRoute(options: RouteOptions, index: number, report: Report): CompiledRoute {
  return {
    name: `${options.match}:${options.path}`,
    index,
    options,
    mode: options.mode,
    queryParams: options.queryParams ?? (options.mode === 'passthrough' ? [ANY_PARAMETER] : []),
    renderInterval: options.renderInterval,
    demandFloor: options.demandFloor,
    discoverTargets: options.discoverTargets ?? true,
    soft404: compileSoft404Rules(options.soft404 ?? [], report),
    requiredSelectors: options.requiredSelectors ?? [],
    productId: options.entity === undefined ? undefined : compileRouteEntity(options.entity, report),
  };
}

function compileSoft404Rules(rules: readonly Soft404Rule[], report: Report): CompiledSoft404Rule[] {
  return rules.flatMap((rule, position) => {
    const compiled = compileSoft404(rule);
    if (compiled.ok) return [compiled.rule];
    report(['soft404', String(position), compiled.option].filter((part) => part !== '').join('.'), compiled.reason);
    return [];
  });
}

function compileRouteEntity(options: EntityOptions, report: Report): EntityReader | undefined {
  const entity = compileEntity(options);
  if (entity.ok) return entity.productId;
  report(`entity.${entity.option}`, entity.reason);
  return undefined;
}

function compileMatch(options: RouteOptions, spell: (path: string) => string, report: Report): Matcher['matches'] {
  if (options.match === 'regex') {
    const compiled = compilePattern(options.path);
    if (!compiled.ok) {
      report('path', compiled.reason);
      return () => false;
    }
    return (pathname) => pathname.length <= PATTERN_TEXT_LIMIT && compiled.pattern.test(pathname);
  }
  const path = spell(options.path);
  if (path === '') report('path', 'it must not be empty');
  else if (options.match !== 'contains' && !path.startsWith('/')) report('path', 'it must start with /');
  else if (/[?#]/.test(path)) report('path', 'it must be a path without ? and #; see queryParams');
  switch (options.match) {
    case 'exact':
      return (pathname) => pathname === path;
    case 'prefix':
      return (pathname) => pathname.startsWith(path);
    case 'contains':
      return (pathname) => pathname.includes(path);
  }
}

/** Spells a configured path as canonical paths are spelt: what the URL parser escapes is escaped. */
function pathSpeller(decodeReserved: string): (path: string) => string {
  const { path: rewrite } = compileEscapes(decodeReserved, false);
  return (path) => rewrite(path.replace(/[^\x21-\x7e]+|["<>\\^`{}]/g, escapeText));
}

function escapeText(text: string): string {
  // By way of UTF-8, which replaces a lone surrogate: encodeURIComponent would throw.
  return encodeURIComponent(Buffer.from(text).toString());
}
