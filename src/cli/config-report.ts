import { isDeepStrictEqual } from 'node:util';
import type { HarperInstance } from './harper-instance.ts';

/** What `GET /prerender_admin/config` tells, as far as it is used here. */
export interface ConfigReport {
  options: readonly { path: string; value: unknown; layer: string }[];
  problems: readonly { severity: 'error' | 'warning'; text: string }[];
  /** Changes that wait for a restart. */
  pending: readonly { text: string }[];
}

const CONFIG_PATH = '/prerender_admin/config';
const ANSWER_LIMIT_MS = 5_000;

/** Asks an instance for its configuration. Throws an Error that says why there is no answer. */
export async function readConfigReport(instance: Pick<HarperInstance, 'request'>): Promise<ConfigReport> {
  const response = await instance.request(CONFIG_PATH, { auth: true, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${CONFIG_PATH} answers ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as ConfigReport;
}

/** What is to be told about a configuration, one line each: errors first, then warnings, then what waits for a restart. */
export function configLines(report: ConfigReport): string[] {
  const of = (wanted: 'error' | 'warning') => report.problems.filter(({ severity }) => severity === wanted);
  return [
    ...of('error').map(({ text }) => `Error: ${text}`),
    ...of('warning').map(({ text }) => `Warning: ${text}`),
    ...report.pending.map(({ text }) => `Waits: ${text}`),
  ];
}

/** Whether anything that can be told differs. */
export function differs(before: ConfigReport, after: ConfigReport): boolean {
  return !isDeepStrictEqual(before, after);
}

/** What came of a changed file, which stood before it and stands after it: one line, then those of {@link configLines}. */
export function outcomeLines(file: string, before: ConfigReport, after: ConfigReport): string[] {
  const known = new Set(before.problems.map(({ text }) => text));
  const newErrors = after.problems.some(({ severity, text }) => severity === 'error' && !known.has(text));
  const changed = changedPaths(before, after);
  const lines = configLines(after);
  return [`${file} has changed ${verdict(changed, newErrors, lines.length > 0)}`, ...lines.map((line) => `  ${line}`)];
}

function verdict(changed: readonly string[], newErrors: boolean, more: boolean): string {
  if (changed.length > 0) return `and is in force: ${changed.join(', ')}${more ? '. But:' : '.'}`;
  if (newErrors) return 'and was refused:';
  return `and was passed on; no option in force is another than before${more ? ':' : '.'}`;
}

function changedPaths(before: ConfigReport, after: ConfigReport): string[] {
  const values = new Map(before.options.map(({ path, value }) => [path, value]));
  return after.options.filter(({ path, value }) => !isDeepStrictEqual(values.get(path), value)).map(({ path }) => path);
}
