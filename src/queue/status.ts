import type { Clock } from '../harper/clock.ts';
import type { Table } from '../harper/table.ts';
import { ALL_HOSTS, type Pause } from './pause.ts';
import type { ClaimWindow } from './window.ts';

/** Row of QueueStatus: the observed state of a node's queue, published over MQTT as `queue_status`. */
export interface QueueStatus {
  hostname: string;
  status: 'empty' | 'queued' | 'paused';
  /** Epoch ms when it became so. */
  updatedTime: number;
}

/** Publishes the state of this node's queue. */
export interface StatusPublisher {
  /** Looks, and writes only when the state is another than the one that stands; call it at the rate that is to be the highest. */
  publish(): Promise<QueueStatus>;
}

/** What the publisher is built from. */
export interface StatusDeps {
  readonly table: Table<QueueStatus>;
  readonly window: ClaimWindow;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly hostname: string;
}

const LOOK_AGE_MS = 900;
const LOOK_LIMIT_MS = 5_000;

/** The only writer of QueueStatus. */
export function createStatusPublisher({ table, window, pause, clock, hostname }: StatusDeps): StatusPublisher {
  const observe = async (): Promise<QueueStatus['status']> => {
    if (pause.isPaused(ALL_HOSTS)) return 'paused';
    if (window.size() === 0) await window.refreshed(LOOK_AGE_MS, LOOK_LIMIT_MS);
    else await window.refreshed(LOOK_LIMIT_MS, LOOK_LIMIT_MS);
    return window.size() > 0 ? 'queued' : 'empty';
  };
  return {
    publish: async () => {
      const status = await observe();
      const published = table.entry(hostname)?.value;
      if (published?.status === status) return published;
      const row: QueueStatus = { hostname, status, updatedTime: clock.now() };
      await table.put(row);
      return row;
    },
  };
}
