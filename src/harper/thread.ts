import { parentPort } from 'node:worker_threads';
import { harperGlobals } from './globals.ts';

/** Whether this is a worker thread that serves: Harper evaluates plugin code on its main thread too. */
export function isServingThread(): boolean {
  return harperGlobals().server.workerIndex !== undefined;
}

/** Runs `stop` when Harper asks this thread to end. A mounted component gets its scope's `close` instead. */
export function onThreadShutdown(stop: () => void): void {
  parentPort?.on('message', (message: unknown) => {
    if ((message as { type?: unknown } | null)?.type === 'shutdown') stop();
  });
}
