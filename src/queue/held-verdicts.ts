import type { ConfigSource } from '../config/schema.ts';
import type { PageStore } from '../page/page.ts';
import type { SchedulePort, SuppressionReason } from '../target/target.ts';
import type { Targets } from '../target/targets.ts';
import { cacheKey } from '../url/cache-key.ts';
import type { HeldVerdict, MassVerdictGuard, RouteGuard } from './mass-verdict.ts';
import type { Schedule } from './schedule.ts';

/** What an operator decides about suppressions: those that are held, and those that were wrong. */
export interface HeldVerdicts {
  guards(): Promise<RouteGuard[]>;
  /** Held verdicts of a route, at most `limit`, after the URL `after`. */
  list(route: string, limit: number, after?: string): Promise<HeldVerdict[]>;
  /** Applies the held verdicts of the route: they were right, except of pages that have rendered since. Resolves to how many. */
  accept(route: string): Promise<number>;
  /** Forgets the held verdicts of the route and has their pages rendered anew. Resolves to how many. */
  release(route: string): Promise<number>;
  /** Puts suppressed Targets back into rotation, those of a reason and since a time (epoch ms). Resolves to how many, at most `limit`. */
  liftSuppressed(filter: { reason?: SuppressionReason; since?: number; limit: number }): Promise<number>;
}

/** What the decisions are built from. */
export interface HeldVerdictDeps {
  readonly guard: MassVerdictGuard;
  readonly targets: Targets;
  readonly pages: PageStore;
  readonly schedule: Schedule;
  readonly inbox: SchedulePort;
  readonly config: ConfigSource;
}

const STEP = 200;

export function createHeldVerdicts(deps: HeldVerdictDeps): HeldVerdicts {
  const { guard, targets, inbox } = deps;
  const forEach = async (route: string, decide: (verdict: HeldVerdict) => Promise<boolean>): Promise<number> => {
    let count = 0;
    for (;;) {
      const verdicts = await guard.held(route, STEP);
      if (verdicts.length === 0) return count;
      for (const verdict of verdicts) if (await decide(verdict)) count++;
      await guard.forget(verdicts.map((verdict) => verdict.url));
    }
  };
  return {
    guards: () => guard.guards(),
    list: (route, limit, after) => guard.held(route, limit, after),
    accept: async (route) => {
      await guard.close(route, 'accepted');
      return forEach(route, (verdict) => apply(deps, verdict));
    },
    release: async (route) => {
      await guard.close(route, 'released');
      return forEach(route, async ({ url }) => {
        await inbox.fileDue(url, 'urgent');
        return true;
      });
    },
    liftSuppressed: async ({ reason, since = 0, limit }) => {
      const found = await targets.suppressed(
        limit,
        (target) => (!reason || target.suppressedReason === reason) && (target.suppressedAt ?? 0) >= since,
      );
      for (const { url } of found) {
        await targets.lift(url);
        await inbox.fileDue(url, 'urgent');
      }
      return found.length;
    },
  };
}

/** Answers whether the Target was suppressed. */
function apply(deps: HeldVerdictDeps, { url, reason, canonical, heldAt }: HeldVerdict): Promise<boolean> {
  const { schedule, targets, pages, config } = deps;
  return schedule.withUrl(url, async () => {
    const stored = config.current().render.devices.map((device) => pages.find(cacheKey(url, device))?.value.lastCached);
    if (stored.some((at) => Number(at ?? 0) > Number(heldAt))) return false;
    if ((await targets.suppress(url, { reason, canonical })) === 0) return false;
    await pages.remove(url);
    return true;
  });
}
