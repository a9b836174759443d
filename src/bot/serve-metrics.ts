import type { Metrics } from '../metrics/emitter.ts';
import type { PageStore } from '../page/page.ts';
import type { Target } from '../target/target.ts';
import type { BotRequest } from './bot-request.ts';
import type { DiscoveryVerdict } from './discovery-verdict.ts';
import { missCause } from './miss-cause.ts';
import type { Resource } from './resource.ts';

export interface ServeMetricsDeps {
  readonly metrics: Metrics;
  readonly pages: Pick<PageStore, 'find'>;
}

/** Counts an answered request. The service's own requests are counted nowhere: they are no crawler's. */
export function countServe(
  deps: ServeMetricsDeps,
  resource: Resource,
  request: BotRequest,
  target: Target | undefined,
  verdict: DiscoveryVerdict,
): void {
  if (request.own) return;
  const { metrics } = deps;
  const { cacheStatus, source } = resource;
  const { botLabel, deviceType } = request;
  const { routeName } = request.target;
  metrics.count('botServe', source, cacheStatus, botLabel);
  metrics.count('routeServe', routeName, cacheStatus, deviceType);
  if (source === 'cache') {
    const age = Math.max(0, request.receivedAt - resource.page.row.fetchedAt);
    metrics.value('pageAge', age, cacheStatus, botLabel);
    metrics.value('routePageAge', age, routeName, cacheStatus, deviceType);
  } else if (cacheStatus === 'miss') {
    metrics.count('botMiss', missCause(deps.pages, resource, request, target, verdict), botLabel);
  }
}
