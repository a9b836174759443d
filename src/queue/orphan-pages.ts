import type { Residency } from '../cluster/residency.ts';
import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { PageStore } from '../page/page.ts';
import type { TargetReader } from '../target/target.ts';
import type { Schedule } from './schedule.ts';

/** Pages whose Target is missing. It may only not have replicated yet, as their databases replicate each on their own. */
export interface OrphanPages {
  /** Removes the pages of the URL when its Target was missing already `render.repair.orphanTtl` ago, and ever since. */
  check(page: { key: string; url: string }): Promise<'swept' | undefined>;
  /** Forgets what the walk that ends here has not met. */
  walked(): void;
}

/** What the check is built from. */
export interface OrphanPagesDeps {
  readonly schedule: Schedule;
  readonly targets: TargetReader;
  readonly pages: PageStore;
  readonly residency: Residency;
  readonly config: ConfigSource;
  readonly clock: Clock;
}

/** Most URLs that are remembered (about 200 bytes each); those beyond wait until there is room. */
const MOST_ORPHANS = 20_000;

export function createOrphanPages(deps: OrphanPagesDeps, most = MOST_ORPHANS): OrphanPages {
  const { schedule, targets, pages, residency, config, clock } = deps;
  /** Since when each was seen without its Target, by this walk and by the one before. */
  let since = new Map<string, number>();
  let before = new Map<string, number>();
  const isOrphan = (url: string): boolean => residency.owns(url) && !targets.find(url);
  return {
    check: async ({ url }) => {
      if (!isOrphan(url)) return undefined;
      const now = clock.now();
      const seenAt = since.get(url) ?? before.get(url) ?? now;
      if (now - seenAt < config.current().render.repair.orphanTtl) {
        if (since.size < most) since.set(url, seenAt);
        return undefined;
      }
      const removed = await schedule.withUrl(url, async () => (isOrphan(url) ? pages.remove(url) : 0));
      return removed > 0 ? 'swept' : undefined;
    },
    walked: () => {
      before = since;
      since = new Map();
    },
  };
}
