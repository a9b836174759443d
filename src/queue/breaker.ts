import type { ConfigSource } from '../config/schema.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import type { Locks, Table } from '../harper/table.ts';
import type { Metrics } from '../metrics/emitter.ts';

/** Row of HostBreaker, node-local: the refusals (401, 403) of one host. There is none for a host that answers. */
export interface HostBreaker {
  host: string;
  /** Refusals inside the window, the oldest first; at most as many as open the breaker. */
  refusals: Refusal[];
  /** Epoch ms until when no job of the host is granted; 0: closed. */
  openUntil: number;
  /** Epoch ms until when the one job that tries the host may take. */
  trialUntil: number;
}

interface Refusal {
  at: number;
  url: string;
  /** Whether the URL was suppressed for it. */
  suppressed: boolean;
}

/**
 * A burst of 401 and 403 says that the host refuses our fleet, not that pages are gone: its jobs are held, then one is tried.
 * The only reader and writer of HostBreaker; memory bound: one row per host that refuses, `render.breaker.failures` entries each.
 */
export interface Breaker {
  /** Open, or waiting for the job that tries it. */
  isOpen(host: string): boolean;
  /** Whether a job of the host may be granted now. */
  admits(host: string): boolean;
  /** Notes that a job was granted; of a host whose breaker was open it is the one that tries it. Inside the claim. */
  granted(host: string, until: number): Promise<void>;
  /** A 401 or 403. Resolves to the URLs that were suppressed in a burst that has just opened the breaker. */
  refused(host: string, refusal: { url: string; suppressed: boolean }): Promise<string[]>;
  /** Any answer that is not a refusal: closes an open breaker once its pause is over. */
  answered(host: string): Promise<void>;
  /** Hosts whose breaker is open, at most `limit`. */
  list(limit: number): Promise<HostBreaker[]>;
}

/** What the breaker is built from. */
export interface BreakerDeps {
  readonly table: Table<HostBreaker>;
  readonly config: ConfigSource;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const LOCK_WAIT_MS = 5_000;

export function createBreaker(deps: BreakerDeps): Breaker {
  const { table, clock, locks } = deps;
  const find = (host: string): HostBreaker | undefined => table.entry(host)?.value;
  const changing = <T>(host: string, task: () => Promise<T>): Promise<T> =>
    locks.withLock(`breaker|${host.slice(0, 255)}`, LOCK_WAIT_MS, () => {
      table.refresh();
      return task();
    });
  return {
    isOpen: (host) => Number(find(host)?.openUntil ?? 0) > 0,
    admits: (host) => {
      const row = find(host);
      if (!row || Number(row.openUntil) === 0) return true;
      const now = clock.now();
      return now >= Number(row.openUntil) && now >= Number(row.trialUntil);
    },
    granted: async (host, until) => {
      await changing(host, async () => {
        const row = find(host);
        if (row && Number(row.openUntil) > 0) await table.put({ ...row, trialUntil: until });
      });
    },
    refused: (host, refusal) => changing(host, () => refuse(deps, host, refusal)),
    answered: async (host) => {
      const row = find(host);
      if (!row || clock.now() < Number(row.openUntil)) return;
      if (Number(row.openUntil) === 0) return;
      await changing(host, async () => {
        if (!find(host)) return;
        await table.delete(host);
        deps.metrics.count('queueBreaker', 'closed', host);
        deps.logger.info(`The host ${host} answers the render fleet again; its jobs go on`);
      });
    },
    list: async (limit) => {
      const found: HostBreaker[] = [];
      for await (const row of table.search({})) {
        if (Number(row.openUntil) > 0) found.push({ ...row });
        if (found.length >= limit) break;
      }
      return found;
    },
  };
}

async function refuse(
  { table, config, clock, metrics, logger }: BreakerDeps,
  host: string,
  refusal: { url: string; suppressed: boolean },
): Promise<string[]> {
  const { failures, window, pause } = config.current().render.breaker;
  const now = clock.now();
  const row = table.entry(host)?.value;
  const wasOpen = Number(row?.openUntil ?? 0) > 0;
  const recent = (row?.refusals ?? []).filter((earlier) => earlier.at > now - window);
  const refusals = [...recent, { at: now, ...refusal }].slice(-failures);
  const opens = wasOpen || refusals.length >= failures;
  if (!opens) {
    await table.put({ host, refusals, openUntil: 0, trialUntil: 0 });
    return [];
  }
  // A job that was leased before it opened says nothing new; one that tried it after the pause opens it again.
  const openUntil = wasOpen && now < Number(row?.openUntil) ? Number(row?.openUntil) : now + pause;
  await table.put({ host, refusals: [], openUntil, trialUntil: 0 });
  if (wasOpen) return [];
  metrics.count('queueBreaker', 'opened', host);
  logger.error(
    `The host ${host} refused ${refusals.length} renders (401, 403) within ${window} ms: its jobs are held for ${pause} ms`,
  );
  return refusals.filter((one) => one.suppressed).map((one) => one.url);
}
