#!/usr/bin/env node
import { PrerenderError, describeError } from '../errors.ts';
import { helpText } from './help.ts';
import { createLog, type Log } from './log.ts';
import { resolveSettings } from './resolve-settings.ts';
import { workerVersion } from './worker-version.ts';
import { runWorker } from './worker.ts';

/** Beyond the drain: to close the browsers and end. */
const LAST_EXIT_MS = 15_000;

/** Runs the command; answers its exit code: 0 stopped as asked, 1 failed, 2 bad options. */
async function main(): Promise<number> {
  const { settings, help, version } = resolveSettings(process.argv.slice(2), process.env);
  if (help || version) {
    process.stdout.write(help ? helpText(workerVersion()) : `${workerVersion()}\n`);
    return 0;
  }
  const log = createLog(settings.logFormat, settings.logLevel, (line) => process.stderr.write(line));
  const stop = new AbortController();
  const onSignal = (): void => {
    // The exit ends the browsers' process groups.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // One page's odd answer must not end the others' renders.
  process.on('unhandledRejection', (error) => log('error', 'unhandled rejection', { error: describeError(error) }));
  // Whoever reads the log may go away; the renders go on.
  process.stderr.on('error', () => undefined);
  let failed = false;
  process.on('uncaughtException', (error) => {
    log('error', 'an error that nothing caught', { error: describeError(error), stack: error.stack });
    if (isSpawnFailure(error)) return;
    failed = true;
    endSoon(stop, settings.drainTimeout, log);
  });
  await runWorker(settings, { signal: stop.signal, log });
  log('info', 'stopped');
  return failed ? 1 : 0;
}

/** A browser that could not be spawned emits this too; its launch has been rejected, and is tried again. */
function isSpawnFailure(error: NodeJS.ErrnoException): boolean {
  return error.syscall?.startsWith('spawn') ?? false;
}

/**
 * What the error left behind is not known, so the worker ends; but first it reports what runs, if that still ends.
 * The exit kills the browsers' process groups.
 */
function endSoon(stop: AbortController, drainTimeout: number, log: Log): void {
  process.exitCode = 1;
  stop.abort();
  setTimeout(() => {
    log('error', 'the worker does not come to its end and is ended');
    process.exit(1);
  }, drainTimeout + LAST_EXIT_MS).unref();
}

try {
  process.exitCode = await main();
} catch (error) {
  const isConfig = error instanceof PrerenderError && error.code === 'CONFIG_INVALID';
  process.stderr.write(`harper-prerender-worker: ${describeError(error)}\n`);
  process.exitCode = isConfig ? 2 : 1;
}
