import { METRICS } from '../metrics/catalog.ts';
import type { AdminRoute } from './router.ts';

/** `GET /metrics`: the catalog of every metric, as METRICS.md documents it. */
export function metricsRoutes(): AdminRoute[] {
  return [{ method: 'GET', path: '/metrics', handle: () => ({ metrics: Object.values(METRICS) }) }];
}
