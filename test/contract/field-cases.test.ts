import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Areas whose part of the product is built; the others join with their part. */
const AREAS = /^(UA|URL|SEC|HTTP|HTML|JOB)-/;

const cases = readFileSync(join(ROOT, 'test/data/field-cases.jsonl'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => (JSON.parse(line) as { id: string }).id)
  .filter((id) => AREAS.test(id));

const testNames = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'))
  .flatMap((source) => [...source.matchAll(/\b(?:it|test|describe)(?:\.each\([\s\S]*?\))?\(\s*(['"`])(.*?)\1/g)])
  .map((match) => match[2] ?? '');

describe('cases from the field', () => {
  it.each(cases)('%s has a test that names it', (id) => {
    const named = testNames.filter((name) => new RegExp(`\\b${id}\\b`).test(name));
    expect(named, `no test name contains ${id}`).not.toEqual([]);
  });

  it('are each explained in docs/field-cases.md, and nothing else is', () => {
    const documented = [...readFileSync(join(ROOT, 'docs/field-cases.md'), 'utf8').matchAll(/^\| ([A-Z]+-\d+) +\|/gm)];
    expect(documented.map((match) => match[1]).sort()).toEqual([...cases].sort());
  });
});
