import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { optionTable } from '../../../src/worker/help.ts';

/** A Markdown table without the padding that a formatter adds. */
const unpadded = (table: string): string[] =>
  table
    .trim()
    .split('\n')
    .map((row) => row.replace(/\s+/g, ' ').replace(/-{3,}/g, '---'));

describe('docs/worker.md', () => {
  it('has the table of all options as the descriptors say', () => {
    const doc = readFileSync(new URL('../../../docs/worker.md', import.meta.url), 'utf8');
    const table = doc.split('<!-- options -->')[1]?.split('<!-- /options -->')[0] ?? '';
    expect(unpadded(table)).toEqual(unpadded(optionTable()));
  });
});
