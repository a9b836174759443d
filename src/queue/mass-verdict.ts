import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Table } from '../harper/table.ts';
import type { SuppressionReason } from '../target/target.ts';
import { createRouteWindow, type RouteWindow } from './route-window.ts';

/** Row of RouteGuard, node-local: verdicts of a route are held, or were accepted. */
export interface RouteGuard {
  route: string;
  state: 'holding' | 'accepted';
  since: number;
  /** Share of verdicts when it began to hold. */
  share: number;
  /** Verdicts held, those beyond the bound of the list too. */
  held: number;
}

/** Row of HeldVerdict, node-local: a suppression that waits for an operator. */
export interface HeldVerdict {
  url: string;
  route: string;
  reason: SuppressionReason;
  canonical: string | null;
  heldAt: number;
}

/** A verdict, and what it is about. */
export interface Verdict {
  readonly url: string;
  readonly route: string;
  readonly reason: SuppressionReason;
  readonly canonical: string | null;
}

/**
 * Guards against one cause that looks like many verdicts (a deployment that sets noindex everywhere): when the share of verdicts
 * among the results of a route's pages jumps, its suppressions are held until an operator decides. Only results of pages that
 * have rendered before are counted and held: junk that never rendered has nothing to lose. Each thread judges by the results it
 * took; what is held is shared. Memory bound: `MAX_ROUTES` windows a thread, `MAX_HELD` rows.
 */
export interface MassVerdictGuard {
  /** Counts a result of a page that has rendered before; answers whether its verdict is to be held. */
  holds(route: string, isVerdict: boolean): Promise<boolean>;
  hold(verdict: Verdict): Promise<void>;
  guards(): Promise<RouteGuard[]>;
  /** Held verdicts of a route, at most `limit`, after that URL. */
  held(route: string, limit: number, after?: string): Promise<HeldVerdict[]>;
  /** Takes verdicts off the list. */
  forget(urls: readonly string[]): Promise<void>;
  /** Ends holding: `accepted` lets verdicts of the route through from now on, `released` judges them anew. */
  close(route: string, how: 'accepted' | 'released'): Promise<void>;
}

/** Most held verdicts that are listed; further ones are held, and counted, without being listed. */
export const MAX_HELD = 10_000;
const MAX_ROUTES = 1_000;
const ACCEPTED_FOR_MS = 86_400_000;

/** What the guard is built from. */
export interface MassVerdictDeps {
  readonly guards: Table<RouteGuard>;
  readonly held: Table<HeldVerdict>;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The only reader and writer of RouteGuard and HeldVerdict. */
export function createMassVerdictGuard(deps: MassVerdictDeps): MassVerdictGuard {
  const { guards, held, clock } = deps;
  const windows = new Map<string, RouteWindow>();
  return {
    holds: (route, isVerdict) => holds(deps, windowOf(windows, route), route, isVerdict),
    hold: async (verdict) => {
      const guard = guards.entry(verdict.route)?.value;
      if (!guard) return;
      await guards.put({ ...guard, held: Number(guard.held) + 1 });
      if (Number(guard.held) < MAX_HELD) await held.put({ ...verdict, heldAt: clock.now() });
    },
    guards: async () => {
      const found: RouteGuard[] = [];
      for await (const row of guards.search({ limit: MAX_ROUTES })) found.push({ ...row });
      return found;
    },
    held: async (route, limit, after = '') => {
      const found: HeldVerdict[] = [];
      const rows = held.search({
        conditions: [{ attribute: 'url', comparator: 'greater_than', value: after }],
        sort: { attribute: 'url' },
        limit: MAX_HELD,
      });
      for await (const row of rows) {
        if (row.route === route) found.push({ ...row });
        if (found.length >= limit) break;
      }
      return found;
    },
    forget: (urls) => held.write([], urls),
    close: async (route, how) => {
      windows.get(route)?.clear();
      if (how === 'released') await guards.delete(route);
      else await guards.put({ route, state: 'accepted', since: clock.now(), share: 0, held: 0 });
    },
  };
}

async function holds(
  { guards, config, clock, logger }: MassVerdictDeps,
  window: RouteWindow,
  route: string,
  isVerdict: boolean,
): Promise<boolean> {
  const { massShare, massWindow } = config.current().render.suppression;
  const jumped = window.add(isVerdict, { size: massWindow, share: massShare });
  if (!isVerdict) return false;
  const guard = guards.entry(route)?.value;
  if (guard?.state === 'holding') return true;
  if (guard?.state === 'accepted' && clock.now() - Number(guard.since) < ACCEPTED_FOR_MS) return false;
  if (!jumped) return false;
  await guards.put({ route, state: 'holding', since: clock.now(), share: window.share(), held: 0 });
  logger.error(
    `Verdicts against pages of the route ${route} have jumped to ${Math.round(window.share() * 100)} % of its results: their suppressions are held until an operator accepts or releases them`,
  );
  return true;
}

/** The window least used goes when there are too many. */
function windowOf(windows: Map<string, RouteWindow>, route: string): RouteWindow {
  const window = windows.get(route) ?? createRouteWindow();
  windows.delete(route);
  windows.set(route, window);
  const [oldest] = windows.keys();
  if (windows.size > MAX_ROUTES && oldest !== undefined) windows.delete(oldest);
  return window;
}
