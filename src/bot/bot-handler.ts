import { isDeepStrictEqual } from 'node:util';
import type { Config, ConfigSource } from '../config/schema.ts';
import { describeError, PrerenderError } from '../errors.ts';
import type { Clock } from '../harper/clock.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../harper/http.ts';
import type { Logger } from '../harper/logger.ts';
import type { Metrics } from '../metrics/emitter.ts';
import type { Pages } from '../page/pages.ts';
import type { Target, TargetMinter, TargetReader } from '../target/target.ts';
import { cacheKey } from '../url/cache-key.ts';
import { createCanonicalComparison, type CanonicalComparison } from '../url/canonical-comparison.ts';
import { createEncodingChooser } from './accept-encoding.ts';
import type { BotRequest } from './bot-request.ts';
import { debugHeaders, wantsDebugHeaders } from './debug-headers.ts';
import { deliverError } from './deliver-error.ts';
import { deliverOrigin } from './deliver-origin.ts';
import { createPageDelivery, type PageDelivery } from './deliver-page.ts';
import type { DemandRecorder } from './demand-recorder.ts';
import { createBotNamer } from './identity/get-bot-name.ts';
import { createDerivedNameBudget } from './identity/derived-name-budget.ts';
import { createIngress, type Ingested, type Ingress } from './ingress.ts';
import { createMaybeSchedule, type DiscoveryGate, type MaybeSchedule } from './maybe-schedule.ts';
import { ClientGone } from './origin/client-signal.ts';
import type { OriginClient } from './origin/origin-client.ts';
import { createSingleFlight } from './origin/single-flight.ts';
import { loopEvidence } from './own-loop.ts';
import { resolveResource, type ResolveDeps } from './resolve-resource.ts';
import type { Resource } from './resource.ts';
import { countServe } from './serve-metrics.ts';
import { createUserAgentReader, type UserAgentFacts } from './user-agent-facts.ts';

export interface BotHandlerDeps {
  readonly config: ConfigSource;
  readonly pages: Pages;
  readonly targets: TargetReader;
  readonly minter: TargetMinter;
  readonly origin: OriginClient;
  readonly demand: DemandRecorder;
  /** In the order of design.md §5. */
  readonly gates: readonly DiscoveryGate[];
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The handler of bot requests; register it with `runFirst`. */
export interface BotHandler extends HttpHandler {
  /** Resolves when no Target waits to be written. */
  idle(): Promise<void>;
}

/** What is compiled from one configuration. */
interface Compiled {
  readonly config: Config;
  readonly ingress: Ingress;
  readonly userAgentFacts: (userAgent: string | undefined) => UserAgentFacts;
  readonly boundName: (name: string) => string;
  readonly compareCanonical: CanonicalComparison;
}

interface Steps extends ResolveDeps {
  readonly demand: DemandRecorder;
  readonly maybeSchedule: MaybeSchedule;
  readonly deliverPage: PageDelivery;
}

const ALLOWED = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const REFUSED_METHODS: ReadonlySet<string> = new Set(['TRACE', 'CONNECT']);

/** Builds the handler. What is not a bot request goes to the next handler untouched; nothing that happens in it is thrown. */
export function createBotHandler(deps: BotHandlerDeps): BotHandler {
  let compiled = compile(deps.config.current(), deps.clock);
  deps.config.onChange((next) => {
    compiled = compile(next, deps.clock, compiled);
  });
  const maybeSchedule = createMaybeSchedule(deps);
  const steps: Steps = {
    ...deps,
    maybeSchedule,
    flights: createSingleFlight(deps.clock),
    chooseEncoding: createEncodingChooser(),
    deliverPage: createPageDelivery(),
  };
  const handle: HttpHandler = (http, next) => {
    const setting = compiled;
    let ingested: Ingested | undefined;
    try {
      ingested = setting.ingress.read(http);
      if (ingested !== undefined) return serve(steps, setting, http, ingested);
    } catch (error) {
      return failed(steps, http, error);
    }
    return next(http);
  };
  return Object.assign(handle, { idle: () => maybeSchedule.idle() });
}

/** The day's names go on counting over a change of other options. */
function compile(config: Config, clock: Clock, previous?: Compiled): Compiled {
  const namer = createBotNamer({ bots: config.analytics.bots });
  return {
    config,
    ingress: createIngress(config),
    userAgentFacts: createUserAgentReader(namer, config),
    boundName:
      previous && isDeepStrictEqual(previous.config.analytics, config.analytics)
        ? previous.boundName
        : createDerivedNameBudget({
            knownNames: namer.knownNames,
            maxDerivedBots: config.analytics.maxDerivedBots,
            now: clock.now,
          }),
    compareCanonical: createCanonicalComparison(config.cacheKey),
  };
}

/** design.md §5: parse target → getBotName → analytics → resolveResource → maybeSchedule → recordDemand → deliver. */
function serve(
  steps: Steps,
  setting: Compiled,
  http: HttpRequest,
  ingested: Ingested,
): HttpResponse | Promise<HttpResponse> {
  const request = readRequest(steps, setting, http, ingested);
  if (!request.own) steps.metrics.count('botRequest', request.botLabel);
  const resource = resolveResource(steps, request);
  if (!(resource instanceof Promise)) return finish(steps, setting, request, resource);
  return resource
    .then((resolved) => finish(steps, setting, request, resolved))
    .catch((error: unknown) => failed(steps, http, error));
}

function readRequest(
  steps: Steps,
  setting: Compiled,
  http: HttpRequest,
  { target, namedDevice }: Ingested,
): BotRequest {
  const { config } = setting;
  // An origin that echoes the request would show the crawler what is meant for the origin alone.
  if (REFUSED_METHODS.has(http.method)) {
    throw new PrerenderError('METHOD_NOT_ALLOWED', { method: http.method, allowed: ALLOWED });
  }
  const facts = setting.userAgentFacts(http.headers.get('user-agent') ?? undefined);
  const evidence = loopEvidence(http.headers, facts.own, config);
  if (evidence !== undefined) throw new PrerenderError('LOOP_DETECTED', { evidence });
  const deviceType = namedDevice ?? facts.device;
  return {
    http,
    config,
    target,
    deviceType,
    cacheKey: cacheKey(target.url, deviceType),
    botName: facts.botName,
    botLabel: setting.boundName(facts.botName),
    own: facts.own,
    receivedAt: steps.clock.now(),
  };
}

function finish(steps: Steps, setting: Compiled, request: BotRequest, resource: Resource): HttpResponse {
  try {
    return conclude(steps, setting, request, resource);
  } catch (error) {
    if (resource.source === 'origin' && 'exchange' in resource.answer.body) resource.answer.body.exchange.release();
    throw error;
  }
}

function conclude(steps: Steps, setting: Compiled, request: BotRequest, resource: Resource): HttpResponse {
  // What the cache answers needs no Target, and is the fast path.
  const target = resource.source === 'cache' ? undefined : steps.targets.find(request.target.url);
  const verdict = steps.maybeSchedule(resource, request, target, setting.compareCanonical);
  if (!request.own) steps.demand.record(resource, request, verdict);
  countServe(steps, resource, request, target, verdict);
  const response = deliver(steps, request, resource, target);
  if (!wantsDebugHeaders(request)) return response;
  return { ...response, headers: { ...response.headers, ...debugHeaders(resource, request, verdict) } };
}

function deliver(steps: Steps, request: BotRequest, resource: Resource, target: Target | undefined): HttpResponse {
  switch (resource.source) {
    case 'cache':
      return steps.deliverPage(request, resource.page);
    case 'origin':
      return deliverOrigin(request, resource.answer, target);
    case 'none':
      return deliverError(resource.error, request.http.method);
  }
}

function failed(steps: Steps, http: HttpRequest, error: unknown): HttpResponse {
  // Nobody reads this answer.
  if (error instanceof ClientGone) return { status: 499, headers: {} };
  if (error instanceof PrerenderError) return deliverError(error, http.method);
  steps.logger.error(`A bot request failed: ${describeError(error)}`);
  return deliverError(new PrerenderError('INTERNAL'), http.method);
}
