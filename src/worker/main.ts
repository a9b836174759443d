#!/usr/bin/env node
import { PrerenderError, describeError } from '../errors.ts';
import { helpText } from './help.ts';
import { createLog } from './log.ts';
import { resolveSettings } from './resolve-settings.ts';
import { workerVersion } from './worker-version.ts';
import { runWorker } from './worker.ts';

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
  await runWorker(settings, { signal: stop.signal, log });
  log('info', 'stopped');
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isConfig = error instanceof PrerenderError && error.code === 'CONFIG_INVALID';
  process.stderr.write(`harper-prerender-worker: ${describeError(error)}\n`);
  process.exitCode = isConfig ? 2 : 1;
}
