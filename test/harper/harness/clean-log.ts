import { expect } from 'vitest';

/** Whatever has a log: an instance. */
export interface HasLog {
  log(): string;
}

const ENTRY = /^\[[\w-]+\/\d+\] \[\w+\]/;
const ERROR_ENTRY = /^\[[\w-]+\/\d+\] \[(?:error|fatal)\]/;
const UNCAUGHT = /uncaughtException|unhandledRejection|UnhandledPromiseRejection|ERR_UNHANDLED_REJECTION/i;

/** Error entries of a log and everything that tells of an uncaught exception or rejection, each with its first stack lines. */
export function logProblems(log: string): string[] {
  const lines = log.split('\n');
  return lines.flatMap((line, index) => {
    if (!ERROR_ENTRY.test(line) && !UNCAUGHT.test(line)) return [];
    const rest = lines.slice(index + 1, index + 9);
    const next = rest.findIndex((one) => ENTRY.test(one));
    return [[line, ...rest.slice(0, next < 0 ? rest.length : next)].join('\n')];
  });
}

/**
 * Fails when the log shows an uncaught exception or rejection (Harper logs and swallows them), or an error entry that
 * no pattern of `allow` matches. Uncaught ones cannot be allowed.
 */
export function assertCleanLog(instance: HasLog, allow: readonly RegExp[] = []): void {
  const unexpected = logProblems(instance.log()).filter(
    (problem) => UNCAUGHT.test(problem) || !allow.some((pattern) => pattern.test(problem)),
  );
  expect(unexpected, 'unexpected errors in the log of the instance').toEqual([]);
}
