import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { differs, outcomeLines } from './config-report.ts';
import type { ConfigReport } from './config-report.ts';
import { documentText, readDocument } from './demo-config.ts';
import type { HostApp } from './host-app.ts';

/** What {@link followConfig} needs. */
export interface FollowOptions {
  /** The operator's config.yaml. */
  file: string;
  /** Its config.yaml holds what was passed on last. */
  app: HostApp;
  /** The sample shop to add, if any. */
  shopOrigin: string | undefined;
  /** Asks the component what is in force and what is wrong. */
  readReport: () => Promise<ConfigReport>;
  say: (line: string) => void;
  /** Ms between two looks at the file; default 1,000. */
  intervalMs?: number;
  /** Ms that the component gets to take a change; default 6,000. */
  outcomeLimitMs?: number;
}

/** Looks without the file before it is missed: editors take it away for a moment while they save. */
const LOOKS_UNTIL_MISSED = 2;
const ASK_EVERY_MS = 100;

/**
 * Passes the operator's config.yaml on to the app whenever it has changed, so that Harper reloads it, and tells what came
 * of it. A file that cannot be read is told and not passed on: Harper's own reader does not stand broken YAML.
 */
export function followConfig(options: FollowOptions): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const look = createLook(options, stopping.signal);
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await look();
      } catch (error) {
        options.say(`${options.file} could not be passed on: ${messageOf(error)}`);
      }
      await pause(options.intervalMs ?? 1_000, stopping.signal);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function createLook(options: FollowOptions, signal: AbortSignal): () => Promise<void> {
  const { file, app, shopOrigin, say } = options;
  const path = resolve(file);
  let passedOn = readFileSync(app.configFile, 'utf8');
  let seen: string | undefined;
  let misses = 0;

  const miss = (error: unknown): void => {
    if (++misses === LOOKS_UNTIL_MISSED) {
      say(`${file} cannot be read any more (${messageOf(error)}). What was passed on last stays.`);
    }
  };

  return async () => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      return miss(error);
    }
    if (misses >= LOOKS_UNTIL_MISSED) say(`${file} is there again.`);
    misses = 0;
    if (text === seen) return;
    // The first look finds what was read before the boot, as a rule.
    const isFirst = seen === undefined;
    seen = text;
    let next: string;
    try {
      next = documentText(readDocument(path), shopOrigin);
    } catch (error) {
      return say(`${messageOf(error)}. What was passed on last stays.`);
    }
    if (next === passedOn) {
      if (!isFirst) say(`${file} has changed; its content is the same as what was passed on last.`);
      return;
    }
    passedOn = next;
    for (const line of await passOn(options, next, signal)) say(line);
  };
}

/** Hands the text to the app and waits for the component to take or to refuse it. Returns what is to be told. */
async function passOn(options: FollowOptions, text: string, signal: AbortSignal): Promise<string[]> {
  const { file, app, readReport, outcomeLimitMs = 6_000 } = options;
  const before = await readReport().catch((error: unknown) => messageOf(error));
  app.writeConfig(text);
  if (typeof before === 'string') {
    return [`${file} has changed and was passed on; what came of it is not known: ${before}`];
  }
  const end = Date.now() + outcomeLimitMs;
  let after: ConfigReport = before;
  let silence: string | undefined;
  do {
    await pause(ASK_EVERY_MS, signal);
    if (signal.aborted) return [];
    try {
      after = await readReport();
      silence = undefined;
    } catch (error) {
      silence = messageOf(error);
    }
  } while (!differs(before, after) && Date.now() < end);
  if (silence !== undefined) {
    return [`${file} has changed and was passed on; what came of it is not known: ${silence}`];
  }
  return outcomeLines(file, before, after);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
