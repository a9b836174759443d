import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Locks, Table } from '../harper/table.ts';
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
  /** Puts a verdict on the list; answers `false` when an operator has decided over its route meanwhile. */
  hold(verdict: Verdict): Promise<boolean>;
  /** Whether verdicts of the route are being held. */
  isHolding(route: string): boolean;
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
const LOCK_WAIT_MS = 5_000;

/** What the guard is built from. */
export interface MassVerdictDeps {
  readonly guards: Table<RouteGuard>;
  readonly held: Table<HeldVerdict>;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly logger: Logger;
}

/** The only reader and writer of RouteGuard and HeldVerdict. */
export function createMassVerdictGuard(deps: MassVerdictDeps): MassVerdictGuard {
  const { guards, held, clock } = deps;
  const windows = new Map<string, WatchedWindow>();
  return {
    holds: (route, isVerdict) => holds(deps, windows, route, isVerdict),
    hold: (verdict) =>
      deciding(deps, verdict.route, async (guard) => {
        if (guard?.state !== 'holding') return false;
        await guards.put({ ...guard, held: Number(guard.held) + 1 });
        if (Number(guard.held) < MAX_HELD) await held.put({ ...verdict, heldAt: clock.now() });
        return true;
      }),
    isHolding: (route) => guards.entry(route)?.value.state === 'holding',
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
      });
      for await (const row of rows) {
        if (row.route === route) found.push({ ...row });
        if (found.length >= limit) break;
      }
      return found;
    },
    forget: (urls) => held.write([], urls),
    close: (route, how) =>
      deciding(deps, route, async () => {
        if (how === 'released') await guards.delete(route);
        else await guards.put({ route, state: 'accepted', since: clock.now(), share: 0, held: 0 });
      }),
  };
}

/** Runs `task` as the only one, over all threads, that changes the guard of the route. */
function deciding<T>(
  { guards, locks }: MassVerdictDeps,
  route: string,
  task: (guard: RouteGuard | undefined) => Promise<T>,
): Promise<T> {
  return locks.withLock(`guard|${route.slice(0, 255)}`, LOCK_WAIT_MS, () => {
    guards.refresh();
    return task(guards.entry(route)?.value);
  });
}

async function holds(
  deps: MassVerdictDeps,
  windows: Map<string, WatchedWindow>,
  route: string,
  isVerdict: boolean,
): Promise<boolean> {
  const { massShare, massWindow } = deps.config.current().render.suppression;
  const guard = deps.guards.entry(route)?.value;
  const window = windowOf(windows, route, guard);
  const jumped = window.add(isVerdict, { size: massWindow, share: massShare });
  if (!isVerdict) return false;
  const decided = decisionOf(deps, guard);
  if (decided !== undefined || !jumped) return decided === 'holding';
  return deciding(deps, route, async (current) => {
    const decidedMeanwhile = decisionOf(deps, current);
    if (decidedMeanwhile === undefined) await beginHolding(deps, route, window.share());
    return decidedMeanwhile !== 'accepted';
  });
}

/** Undefined: nothing is decided, or it was too long ago. */
function decisionOf({ clock }: MassVerdictDeps, guard: RouteGuard | undefined): RouteGuard['state'] | undefined {
  const isOld = guard?.state === 'accepted' && clock.now() - Number(guard.since) >= ACCEPTED_FOR_MS;
  return isOld ? undefined : guard?.state;
}

async function beginHolding({ guards, clock, logger }: MassVerdictDeps, route: string, share: number): Promise<void> {
  await guards.put({ route, state: 'holding', since: clock.now(), share, held: 0 });
  logger.error(
    `Verdicts against pages of the route ${route} have jumped to ${Math.round(share * 100)} % of its results: their suppressions are held until an operator accepts or releases them`,
  );
}

interface WatchedWindow {
  readonly window: RouteWindow;
  /** The guard that this window was last judged under. */
  guard: string;
}

/** The window begins anew when any thread has changed the guard; the one least used goes when there are too many. */
function windowOf(
  windows: Map<string, WatchedWindow>,
  route: string,
  guard: Pick<RouteGuard, 'state' | 'since'> | undefined,
): RouteWindow {
  const now = guard ? `${guard.state} ${guard.since}` : 'none';
  const watched = windows.get(route) ?? { window: createRouteWindow(), guard: now };
  if (watched.guard !== now) watched.window.clear();
  watched.guard = now;
  windows.delete(route);
  windows.set(route, watched);
  const [oldest] = windows.keys();
  if (windows.size > MAX_ROUTES && oldest !== undefined) windows.delete(oldest);
  return watched.window;
}
