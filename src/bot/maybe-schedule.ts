import { describeError } from '../errors.ts';
import type { Logger } from '../harper/logger.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { MintRequest, Target, TargetMinter } from '../target/target.ts';
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

/** Targets written in one transaction, and those that may wait: beyond that a URL is left to its next request. */
const BATCH = 100;
const BACKLOG = 10_000;

export function createMaybeSchedule(deps: MaybeScheduleDeps): MaybeSchedule {
  const queue = createWriteQueue(deps);
  const decide: (...args: Parameters<MaybeSchedule>) => DiscoveryVerdict = (
    resource,
    request,
    target,
    compareCanonical,
  ) => {
    const gone = target !== undefined && isGone(target);
    const hindrance = requestHindrance(resource, request, gone);
    if (hindrance !== undefined) return { kind: 'not-candidate', why: hindrance };
    const { url } = request.target;
    if (queue.has(url) || (target !== undefined && !gone)) return { kind: 'exists' };
    const unfit = answerHindrance(resource, request, compareCanonical);
    if (target !== undefined) {
      if (unfit === undefined && !queue.full) queue.reopen(url);
      return { kind: 'exists' };
    }
    if (unfit !== undefined) return { kind: 'not-candidate', why: unfit };
    const refusing = deps.gates.find((gate) => !gate.admits(request));
    if (refusing !== undefined) return { kind: 'gated', reason: refusing.reason };
    if (queue.full) return { kind: 'not-candidate', why: 'backlog' };
    queue.mint({ url, source: 'discovery', discoveredBy: request.botLabel });
    deps.metrics.count('discoveryMinted', request.target.routeName, request.botLabel);
    return { kind: 'mint' };
  };
  return Object.assign(decide, { idle: () => queue.idle() });
}

/** Suppressed because the origin had said 404 or 410. */
function isGone(target: Target): boolean {
  return target.state === 'suppressed' && target.suppressedReason === 'http-gone';
}

/** Writes of Targets behind the answers: what comes while one batch is written goes into the next. */
interface WriteQueue {
  has(url: string): boolean;
  readonly full: boolean;
  mint(request: MintRequest): void;
  reopen(url: string): void;
  idle(): Promise<void>;
}

function createWriteQueue({ minter, logger }: Pick<MaybeScheduleDeps, 'minter' | 'logger'>): WriteQueue {
  /** `undefined`: the Target is there, and is to be reopened. */
  const waiting = new Map<string, MintRequest | undefined>();
  let writing: ReadonlyMap<string, MintRequest | undefined> = new Map();
  let running: Promise<void> | undefined;
  const attempt = (what: string, write: Promise<unknown>): Promise<unknown> =>
    write.catch((error: unknown) => logger.error(`${what} was not written: ${describeError(error)}`));
  const writeAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      writing = takeFirst(waiting, BATCH);
      const mints = [...writing.values()].filter((request) => request !== undefined);
      const gone = [...writing.keys()].filter((url) => writing.get(url) === undefined);
      await Promise.all([
        attempt(`A batch of ${mints.length} Targets`, minter.mintAll(mints)),
        ...gone.map((url) => attempt(`The Target of ${url}`, minter.reopen(url))),
      ]);
      writing = new Map();
    }
    running = undefined;
  };
  const add = (url: string, request: MintRequest | undefined): void => {
    waiting.set(url, request);
    running ??= writeAll();
  };
  return {
    has: (url) => waiting.has(url) || writing.has(url),
    get full() {
      return waiting.size >= BACKLOG;
    },
    mint: (request) => add(request.url, request),
    reopen: (url) => add(url, undefined),
    async idle() {
      while (running) await running;
    },
  };
}

function takeFirst<V>(from: Map<string, V>, count: number): Map<string, V> {
  const taken = new Map<string, V>();
  for (const [key, value] of from) {
    if (taken.size >= count) break;
    taken.set(key, value);
    from.delete(key);
  }
  return taken;
}
