import { WORKER_OPTIONS, type OptionName } from './settings.ts';

/** Prefix of the worker's environment variables. */
export const ENV_PREFIX = 'HARPER_PRERENDER_WORKER_';

/** `pollInterval` → `poll-interval`, the flag without its dashes. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `pollInterval` → `HARPER_PRERENDER_WORKER_POLL_INTERVAL`. */
export function variableName(name: string): string {
  return ENV_PREFIX + flagName(name).replaceAll('-', '_').toUpperCase();
}

/** All option names, in the order of their descriptors. */
export function optionNames(): OptionName[] {
  return Object.keys(WORKER_OPTIONS) as OptionName[];
}

/** The candidate with the smallest edit distance, or null when none is near (more than a third of the letters differ). */
export function nearest(wanted: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.ceil(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
