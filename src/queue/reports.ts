import type { Table } from '../harper/table.ts';
import type { Report } from './verdict.ts';

/** Row of LeaseReport, node-local: what devices have said of a lease whose other devices are still out. */
export interface LeaseReport {
  /** Id of the lease. */
  lease: string;
  url: string;
  byDevice: Record<string, Report>;
}

/** The only reader and writer of LeaseReport; rows go with the batch of their lease. */
export interface Reports {
  find(lease: string): Readonly<Record<string, Report>>;
  put(lease: string, url: string, byDevice: Readonly<Record<string, Report>>): Promise<void>;
  /** Removes those that exist. */
  remove(leases: readonly string[]): Promise<void>;
}

export function createReports(table: Table<LeaseReport>): Reports {
  return {
    find: (lease) => {
      table.refresh();
      return table.entry(lease)?.value.byDevice ?? {};
    },
    put: (lease, url, byDevice) => table.put({ lease, url, byDevice: { ...byDevice } }),
    remove: async (leases) => {
      const existing = leases.filter((lease) => table.entry(lease));
      if (existing.length > 0) await table.write([], existing);
    },
  };
}
