import type { Metrics } from '../metrics/emitter.ts';
import type { PageStore } from '../page/page.ts';
import type { Targets } from '../target/targets.ts';
import { cacheKey } from '../url/cache-key.ts';

export interface CoverageDeps {
  readonly targets: Pick<Targets, 'page'>;
  readonly pages: Pick<PageStore, 'find'>;
  readonly metrics: Metrics;
  /** Device types that are rendered; the first stands for the page. */
  readonly devices: () => readonly string[];
}

/** Measures which share of the sitemap-listed Targets has a page. */
export interface Coverage {
  /** Looks at the next Targets in the order of URLs and emits the share over the last looks; work and memory are bounded. */
  measure(isStopped: () => boolean): Promise<void>;
}

interface Look {
  listed: number;
  covered: number;
}

/** Targets of one look, in steps that let other work in between. */
const TARGETS_PER_LOOK = 2_000;
const STEP = 200;
const LOOKS_KEPT = 20;

export function createCoverage({ targets, pages, metrics, devices }: CoverageDeps): Coverage {
  const looks: Look[] = [];
  let after = '';
  const look = async (isStopped: () => boolean): Promise<Look> => {
    const result: Look = { listed: 0, covered: 0 };
    const device = devices()[0] ?? '';
    for (let seen = 0; seen < TARGETS_PER_LOOK && !isStopped(); seen += STEP) {
      const rows = await targets.page(after, STEP);
      for (const { url, sitemapUrl, state } of rows) {
        if (sitemapUrl === null || state !== null) continue;
        result.listed++;
        if (pages.find(cacheKey(url, device))) result.covered++;
      }
      after = rows.length < STEP ? '' : (rows.at(-1)?.url ?? '');
      if (after === '') break;
    }
    return result;
  };
  return {
    async measure(isStopped) {
      looks.push(await look(isStopped));
      if (looks.length > LOOKS_KEPT) looks.shift();
      const listed = looks.reduce((sum, one) => sum + one.listed, 0);
      const covered = looks.reduce((sum, one) => sum + one.covered, 0);
      if (listed > 0) metrics.value('coverage', covered / listed);
    },
  };
}
