import { describeError } from '../errors.ts';
import type { Logger } from '../harper/logger.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { Target, TargetMinter } from '../target/target.ts';
import type { CanonicalComparison } from '../url/canonical-comparison.ts';
import type { BotRequest } from './bot-request.ts';
import { answerHindrance, requestHindrance } from './discovery-candidate.ts';
import type { DiscoveryVerdict, GateReason } from './discovery-verdict.ts';
import type { Resource } from './resource.ts';

/** One rule of the discovery gate; they are asked in their order, and the first that refuses decides. */
export interface DiscoveryGate {
  readonly reason: GateReason;
  admits(request: BotRequest): boolean;
}

export interface MaybeScheduleDeps {
  readonly minter: TargetMinter;
  readonly gates: readonly DiscoveryGate[];
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The discovery gate: decides whether a request adds its URL to the corpus, and has it added. */
export interface MaybeSchedule {
  /**
   * Decides at once; a new Target is written behind the answer, which never waits for it. Never throws. `target` is that of
   * the request's URL, if there is one.
   */
  (
    resource: Resource,
    request: BotRequest,
    target: Target | undefined,
    compareCanonical: CanonicalComparison,
  ): DiscoveryVerdict;
  /** Resolves when nothing waits to be written. For shutdown and tests. */
  idle(): Promise<void>;
}

/** Targets written at a time, and those that may wait: beyond that a URL is left to its next request. */
const CONCURRENT = 32;
const BACKLOG = 10_000;

export function createMaybeSchedule(deps: MaybeScheduleDeps): MaybeSchedule {
  const queue = createWriteQueue(deps.logger);
  const decide: (...args: Parameters<MaybeSchedule>) => DiscoveryVerdict = (
    resource,
    request,
    target,
    compareCanonical,
  ) => {
    const hindrance = requestHindrance(resource, request);
    if (hindrance !== undefined) return { kind: 'not-candidate', why: hindrance };
    const { url } = request.target;
    if (queue.has(url) || (target !== undefined && !isGone(target))) return { kind: 'exists' };
    const unfit = answerHindrance(resource, request, compareCanonical);
    if (target !== undefined) {
      if (unfit === undefined && !queue.full) queue.add(url, reopeningOf(deps.minter, url));
      return { kind: 'exists' };
    }
    if (unfit !== undefined) return { kind: 'not-candidate', why: unfit };
    const refusing = deps.gates.find((gate) => !gate.admits(request));
    if (refusing !== undefined) return { kind: 'gated', reason: refusing.reason };
    if (queue.full) return { kind: 'not-candidate', why: 'backlog' };
    queue.add(url, mintOf(deps.minter, url, request.botLabel));
    deps.metrics.count('discoveryMinted', request.target.routeName, request.botLabel);
    return { kind: 'mint' };
  };
  return Object.assign(decide, { idle: () => queue.idle() });
}

/** Outside of the decision, so that what waits keeps no request alive. */
function mintOf(minter: TargetMinter, url: string, discoveredBy: string): () => Promise<unknown> {
  return () => minter.mint({ url, source: 'discovery', discoveredBy });
}

function reopeningOf(minter: TargetMinter, url: string): () => Promise<unknown> {
  return () => minter.reopen(url);
}

/** Suppressed because the origin had said 404 or 410. */
function isGone(target: Target): boolean {
  return target.state === 'suppressed' && target.suppressedReason === 'http-gone';
}

/** Writes of Targets behind the answers, one at a time per URL. */
interface WriteQueue {
  has(url: string): boolean;
  readonly full: boolean;
  add(url: string, write: () => Promise<unknown>): void;
  idle(): Promise<void>;
}

function createWriteQueue(logger: Logger): WriteQueue {
  const waiting = new Map<string, () => Promise<unknown>>();
  const running = new Map<string, Promise<void>>();
  const run = async (url: string, write: () => Promise<unknown>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      logger.error(`The Target of ${url} was not written: ${describeError(error)}`);
    } finally {
      running.delete(url);
      startNext();
    }
  };
  const startNext = (): void => {
    if (running.size >= CONCURRENT) return;
    for (const [url, write] of waiting) {
      waiting.delete(url);
      running.set(url, run(url, write));
      return;
    }
  };
  return {
    has: (url) => waiting.has(url) || running.has(url),
    get full() {
      return waiting.size >= BACKLOG;
    },
    add(url, write) {
      waiting.set(url, write);
      startNext();
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
