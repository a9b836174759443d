import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import { documentText, readDocument } from './demo-config.ts';
import type { HostApp } from './host-app.ts';

/** Ms between two looks at the file. */
const INTERVAL_MS = 1_000;

/**
 * Copies the operator's config.yaml into the app whenever it changes, so that Harper reloads it. A file that cannot be
 * read is reported and passed on as it is: the component keeps its last good options and says what is wrong.
 */
export function followConfig(
  file: string,
  app: HostApp,
  shopOrigin: string | undefined,
  say: (line: string) => void,
): { stop: () => Promise<void> } {
  const path = resolve(file);
  const copy = (): void => {
    try {
      app.writeConfig(documentText(readDocument(path), shopOrigin));
      say(`${file} has changed; its options are applied.`);
    } catch (error) {
      say(error instanceof CliError ? error.message : String(error));
      passOn(path, app);
    }
  };
  const listener = (now: { mtimeMs: number }, before: { mtimeMs: number }): void => {
    if (now.mtimeMs !== before.mtimeMs) copy();
  };
  watchFile(path, { interval: INTERVAL_MS }, listener);
  return {
    async stop() {
      unwatchFile(path, listener);
    },
  };
}

function passOn(path: string, app: HostApp): void {
  try {
    app.writeConfig(readFileSync(path, 'utf8'));
  } catch {
    // The file is gone: the app keeps what it has.
  }
}
