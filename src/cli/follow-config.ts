import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import { documentText, readDocument } from './demo-config.ts';
import type { HostApp } from './host-app.ts';

/** What {@link followConfig} needs. */
export interface FollowOptions {
  /** The operator's config.yaml. */
  file: string;
  app: HostApp;
  /** The sample shop to add, if any. */
  shopOrigin: string | undefined;
  say: (line: string) => void;
  /** Ms between two looks at the file; default 1,000. */
  intervalMs?: number;
}

/**
 * Copies the operator's config.yaml into the app whenever its text changes, so that Harper reloads it. A file that cannot
 * be read is reported and passed on as it is: the component keeps its last good options and says what is wrong.
 */
export function followConfig(options: FollowOptions): { stop: () => Promise<void> } {
  const { app, shopOrigin, say } = options;
  const path = resolve(options.file);
  let last = readText(path);
  const timer = setInterval(() => {
    const text = readText(path);
    // Gone for a moment while an editor saves, or for good: the app keeps what it has.
    if (text === undefined || text === last) return;
    last = text;
    try {
      app.writeConfig(documentText(readDocument(path), shopOrigin));
      say(`${options.file} has changed and was passed on.`);
    } catch (error) {
      say(error instanceof CliError ? error.message : String(error));
      app.writeConfig(text);
    }
  }, options.intervalMs ?? 1_000);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
    },
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
