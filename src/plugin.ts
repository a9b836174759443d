import { isDirectDeployment } from './config/deployment.ts';
import { createDirectSource, createMountedSource, type HostOptions, type OptionsSource } from './config/sources.ts';
import { startConfig } from './config/start-config.ts';
import { createSystemClock, type Clock } from './harper/clock.ts';
import { harperGlobals } from './harper/globals.ts';
import { behindAuthentication } from './harper/ordinary-handler.ts';
import { packageRoot } from './harper/package-root.ts';
import { isServingThread, onThreadShutdown } from './harper/thread.ts';
import { describeError } from './errors.ts';
import { createServices } from './services.ts';

/** The part of Harper's plugin scope that is used. */
export interface PluginScope {
  readonly options: HostOptions;
  readonly configFilePath: string;
  on(event: 'close', listener: () => void): unknown;
}

/** Called by Harper once per thread when a host app mounts this package. */
export async function handleApplication(scope: PluginScope): Promise<void> {
  if (!isServingThread()) return;
  await serve(
    (clock) => createMountedSource(scope, { clock }),
    (stop) => void scope.on('close', stop),
  );
}

/** Starts the product when this package is the app itself, where Harper does not call `handleApplication`. */
export async function startWhenDirect(): Promise<void> {
  if (!isServingThread() || !isDirect()) return;
  await serve((clock) => createDirectSource(packageRoot(), { clock }), onThreadShutdown);
}

function isDirect(): boolean {
  return isDirectDeployment(packageRoot(), process.env, harperGlobals().server.config?.componentsRoot);
}

const START_AGAIN_MS = 5_000;

/** Builds and registers everything. `onEnd` is given what stops it before anything runs that would have to be stopped. */
async function serve(openSource: (clock: Clock) => OptionsSource, onEnd: (stop: () => void) => void): Promise<void> {
  const { server, logger } = harperGlobals();
  const report = (error: unknown): void => logger.error(`harper-prerender: ${describeError(error)}`);
  const clock = createSystemClock(report);
  const config = startConfig(openSource(clock), logger);
  const services = createServices({ config: config.store, clock, logger });
  let ended = false;
  onEnd(() => {
    ended = true;
    config.stop();
    services.stop().catch(report);
  });
  server.http(services.bot, { runFirst: true });
  for (const handler of services.others) server.http(behindAuthentication(handler));
  warnAboutLocalAuthorisation();
  // Pages are served meanwhile; the health check says 503 until the jobs run.
  const start = (): Promise<void> =>
    services.start().catch((error: unknown) => {
      report(error);
      if (!ended) clock.after(START_AGAIN_MS, () => void start());
    });
  await start();
}

function warnAboutLocalAuthorisation(): void {
  const { server, logger } = harperGlobals();
  if (!server.config?.authentication?.authorizeLocal) return;
  logger.warn(
    'authentication.authorizeLocal is on: behind a proxy on this host every visitor is a super user. Set it to false',
  );
}
