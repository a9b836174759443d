import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedPages } from '../../docs/pages.ts';
import { replaceGenerated } from '../../docs/catalog-tables.ts';
import { eachOption } from '../../src/config/locate.ts';
import { OPTIONS } from '../../src/config/schema.ts';
import { METRICS, type MetricDescriptor } from '../../src/metrics/catalog.ts';
import { resolveConfig } from '../../src/config/resolve.ts';
import { readPackageFile, ROOT, sourceFiles } from './source-files.ts';

const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
);
const metrics = Object.entries<MetricDescriptor>(METRICS);

describe('generated pages', async () => {
  it.each(await generatedPages())('$path is up to date (npm run docs)', ({ actual, expected }) => {
    expect(actual).toBe(expected);
  });

  it('need their markers', () => {
    expect(() => replaceGenerated('# Page', 'metrics', 'x')).toThrow(/lacks/);
    expect(replaceGenerated('a <!-- generated: m -->old<!-- end: m --> b', 'm', 'new')).toBe(
      'a <!-- generated: m -->\n\nnew\n\n<!-- end: m --> b',
    );
  });
});

describe('docs/configuration.md', () => {
  it('has a section for every option, and for nothing else', () => {
    const sections = [...readPackageFile('docs/configuration.md').matchAll(/^### (.+)$/gm)].map(([, path]) => path);
    expect(sections).toEqual([...eachOption(OPTIONS)].map(([path]) => path));
  });
});

describe('configurations shown in the docs', () => {
  const OWN_KEYS = new Set(['rest', 'graphqlSchema', 'jsResource', 'pluginModule', 'roles', 'package', 'files']);
  const blocks = pages.flatMap((page) =>
    [...readPackageFile(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml], at) => ({
      block: `${page}, block ${at + 1}`,
      options: parse(yaml ?? '') as Record<string, unknown>,
    })),
  );

  it.each(blocks)('$block has no mistake', ({ options }) => {
    const inner = (options['harper-prerender'] ?? options) as Record<string, unknown>;
    const own = Object.fromEntries(Object.entries(inner).filter(([key]) => !OWN_KEYS.has(key)));
    const { problems } = resolveConfig([{ name: 'docs', options: own }]);
    expect(problems.filter(({ severity }) => severity === 'error').map(({ text }) => text)).toEqual([]);
  });
});

describe('METRICS.md', () => {
  const sections = new Map(
    readPackageFile('METRICS.md')
      .split(/^### /m)
      .slice(1)
      .map((section) => [section.split('\n')[0] ?? '', section]),
  );

  it('has a section for every metric, and for nothing else', () => {
    expect([...sections.keys()]).toEqual(metrics.map(([, { name }]) => name));
  });

  it.each(metrics)('%s: kind, unit and slots stand there', (_key, { name, kind, unit, slots }) => {
    const section = sections.get(name) ?? '';
    expect(section).toContain(`- Kind: ${kind}; unit: ${unit}`);
    const documented = [...section.matchAll(/(\w+) \(`(path|method|type)`\)/g)].map(([, slot]) => slot);
    expect(documented).toEqual(slots);
  });
});

describe('the catalog of metrics', () => {
  it('names each metric once, in snake case, as its key says', () => {
    for (const [key, { name }] of metrics) {
      expect(name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())).toBe(key);
    }
  });

  it('has at most three slots a metric, which is what an analytics row holds', () => {
    expect(metrics.filter(([, { slots }]) => slots.length > 3)).toEqual([]);
  });

  const emitting = sourceFiles()
    .filter(({ folder }) => folder !== 'metrics')
    .map(({ text }) => text)
    .join('\n');
  it.each(metrics)('%s is emitted somewhere, by the method of its kind', (key, { kind }) => {
    const method = kind === 'count' ? 'count' : 'value';
    expect(new RegExp(`\\.${method}\\(\\s*'${key}'`).test(emitting)).toBe(true);
  });
});
