import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { errorTable, metricSections, replaceGenerated } from './catalog-tables.ts';
import { configurationPage } from './configuration-page.ts';

/** A generated page: where it lies and what it should say. */
export interface Page {
  /** Relative to the package. */
  readonly path: string;
  /** On disk; empty when it is not there. */
  readonly actual: string;
  readonly expected: string;
}

/** Every page that is generated, wholly or between markers. */
export async function generatedPages(): Promise<Page[]> {
  return [
    await page('docs/configuration.md', () => configurationPage()),
    await page('METRICS.md', (text) => replaceGenerated(text, 'metrics', metricSections())),
    await page('docs/errors.md', (text) => replaceGenerated(text, 'errors', errorTable())),
  ];
}

/** The absolute path of a page. */
export function pagePath(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

async function page(path: string, write: (actual: string) => string): Promise<Page> {
  const actual = readOrEmpty(pagePath(path));
  const style = await resolveConfig(pagePath(path));
  return { path, actual, expected: await format(write(actual), { ...style, parser: 'markdown' }) };
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
