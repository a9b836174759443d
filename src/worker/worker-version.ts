import { readFileSync } from 'node:fs';

/** Version of this package, for the user agent's product token. */
export function workerVersion(): string {
  // The same place from src/worker and dist/worker.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : '0.0.0';
}
