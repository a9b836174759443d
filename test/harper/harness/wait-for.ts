import { setTimeout as delay } from 'node:timers/promises';

/** What {@link waitFor} needs beside the condition. */
export interface WaitForOptions {
  /** What is waited for, for the error: `the page is cached`. */
  what: string;
  /** Ms; default 10,000. */
  limitMs?: number;
  /** Ms between two looks; default 50. */
  everyMs?: number;
}

/**
 * Waits until `condition` returns something truthy, and returns that. A condition that throws counts as not met yet.
 * Throws an Error that says what was waited for, and the condition's last value or error, once the limit is over.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitForOptions,
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const limitMs = options.limitMs ?? 10_000;
  const end = Date.now() + limitMs;
  let last: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value as Exclude<T, false | 0 | '' | null | undefined>;
      last = value;
    } catch (error) {
      last = error;
    }
    await delay(options.everyMs ?? 50);
  } while (Date.now() < end);
  const seen = last instanceof Error ? last.message : JSON.stringify(last);
  throw new Error(`Waited ${limitMs} ms in vain until ${options.what}; last seen: ${seen}`);
}
