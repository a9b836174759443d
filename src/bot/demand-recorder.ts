import type { BotRequest } from './bot-request.ts';
import type { DiscoveryVerdict } from './discovery-verdict.ts';
import type { Resource } from './resource.ts';

/** Records which URLs crawlers ask for. Called once per answered request, never awaited. */
export interface DemandRecorder {
  record(resource: Resource, request: BotRequest, verdict: DiscoveryVerdict): void;
}

/** Records nothing: for a service without demand ladder. */
export const NO_DEMAND: DemandRecorder = { record: () => undefined };
