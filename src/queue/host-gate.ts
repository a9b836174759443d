import type { Breaker } from './breaker.ts';
import type { Pause } from './pause.ts';

/** Lets rows of hosts pass that are neither paused nor refusing; asks once per host, so it is made anew for each claim or reading. */
export interface HostGate {
  /** Whether one more row of the host may pass. */
  admits(host: string): boolean;
  /** Hosts that wait for the job that tries them, of which a row has passed. */
  trials(): readonly string[];
}

/** Of a host whose breaker waits for a trial only `perTrial` rows pass. */
export function createHostGate(breaker: Breaker, pause: Pause, perTrial: number): HostGate {
  const left = new Map<string, number>();
  const trials = new Set<string>();
  const look = (host: string): number => {
    if (pause.isPaused(host) || !breaker.admits(host)) return 0;
    if (!breaker.isOpen(host)) return Infinity;
    trials.add(host);
    return perTrial;
  };
  return {
    admits: (host) => {
      const rows = left.get(host) ?? look(host);
      left.set(host, rows - 1);
      return rows > 0;
    },
    trials: () => [...trials],
  };
}
