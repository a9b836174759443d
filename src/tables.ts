import type { Residency } from './cluster/residency.ts';
import { openTable } from './harper/harper-table.ts';
import type { PrerenderedPage } from './page/page.ts';
import type { HostBreaker } from './queue/breaker.ts';
import type { LeaseBatch } from './queue/lease.ts';
import type { HeldVerdict, RouteGuard } from './queue/mass-verdict.ts';
import type { QueueControl } from './queue/pause.ts';
import type { LeaseReport } from './queue/reports.ts';
import { requestUrl, type ScheduleRequest } from './queue/schedule-port.ts';
import type { ScheduleRow } from './queue/schedule-row.ts';
import type { QueueStatus } from './queue/status.ts';
import type { Target } from './target/target.ts';

/** Opens every table of schema.graphql on this thread and binds those of the schedule to the owner of the URL. */
export function openTables(residency: Residency) {
  const tables = {
    targets: openTable<Target>('render_service', 'Target'),
    pages: openTable<PrerenderedPage>('page_cache', 'PrerenderedPage'),
    schedule: openTable<ScheduleRow>('render_schedule', 'RenderSchedule'),
    requests: openTable<ScheduleRequest>('schedule_request', 'ScheduleRequest'),
    leases: openTable<LeaseBatch>('render_lease', 'RenderLease'),
    reports: openTable<LeaseReport>('render_lease', 'LeaseReport'),
    breakers: openTable<HostBreaker>('render_lease', 'HostBreaker'),
    guards: openTable<RouteGuard>('render_lease', 'RouteGuard'),
    held: openTable<HeldVerdict>('render_lease', 'HeldVerdict'),
    control: openTable<QueueControl>('queue_control', 'QueueControl'),
    status: openTable<QueueStatus>('queue_status', 'QueueStatus'),
  };
  tables.schedule.setResidencyById((url) => [residency.ownerOf(url)]);
  tables.requests.setResidencyById((id) => [residency.ownerOf(requestUrl(id))]);
  return tables;
}

export type Tables = ReturnType<typeof openTables>;
