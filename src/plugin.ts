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
  const stop = await serve((clock) => createMountedSource(scope, { clock }));
  scope.on('close', stop);
}

/** Starts the product when this package is the app itself, where Harper does not call `handleApplication`. */
export async function startWhenDirect(): Promise<void> {
  if (!isServingThread() || !isDirect()) return;
  onThreadShutdown(await serve((clock) => createDirectSource(packageRoot(), { clock })));
}

function isDirect(): boolean {
  return isDirectDeployment(packageRoot(), process.env, harperGlobals().server.config?.componentsRoot);
}

/** Builds and registers everything; answers how to stop it. */
async function serve(openSource: (clock: Clock) => OptionsSource): Promise<() => void> {
  const { server, logger } = harperGlobals();
  const report = (error: unknown): void => logger.error(`harper-prerender: ${describeError(error)}`);
  const clock = createSystemClock(report);
  const config = startConfig(openSource(clock), logger);
  const services = createServices({ config: config.store, clock, logger });
  server.http(services.bot, { runFirst: true });
  for (const handler of services.others) server.http(behindAuthentication(handler));
  warnAboutLocalAuthorisation();
  await services.start();
  return () => {
    config.stop();
    services.stop().catch(report);
  };
}

function warnAboutLocalAuthorisation(): void {
  const { server, logger } = harperGlobals();
  if (!server.config?.authentication?.authorizeLocal) return;
  logger.warn(
    'authentication.authorizeLocal is on: behind a proxy on this host every visitor is a super user. Set it to false',
  );
}
