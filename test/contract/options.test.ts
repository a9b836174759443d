import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { OptionDescriptor } from '../../src/config/descriptor.ts';
import { eachOption } from '../../src/config/locate.ts';
import { OPTIONS } from '../../src/config/schema.ts';
import { nodesOf, sourceFiles } from './source-files.ts';

/** Names that are read from objects anywhere in src, src/config aside: `x.name`, `{ name } = x`. */
const read = new Set<string>();
for (const { folder, tree } of sourceFiles()) {
  if (folder === 'config') continue;
  for (const node of nodesOf(tree)) {
    if (ts.isPropertyAccessExpression(node)) read.add(node.name.text);
    if (ts.isBindingElement(node)) read.add((node.propertyName ?? node.name).getText());
  }
}

function* eachName(path: string, option: OptionDescriptor): Generator<[path: string, name: string]> {
  yield [path, path.split('.').at(-1) ?? ''];
  if (!('fields' in option)) return;
  for (const [name, field] of Object.entries(option.fields)) yield* eachName(`${path}.${name}`, field);
}

const options = [...eachOption(OPTIONS)];

describe('options', () => {
  it.each(options.flatMap(([path, option]) => [...eachName(path, option)]))('%s is read somewhere', (_path, name) => {
    expect(read.has(name)).toBe(true);
  });

  it.each(options)('%s has a default inside its own bounds and words that end', (_path, option) => {
    expect(option.description).toMatch(/^['`A-Z].*[.]\)?$/s);
    if (option.kind !== 'number') return;
    expect(option.default).toBeGreaterThanOrEqual(option.min);
    expect(option.default).toBeLessThanOrEqual(option.max);
  });

  it('that guard something are closed by their defaults', () => {
    const guards = options.filter(([, option]) => option.security === true).map(([, option]) => option);
    expect(guards.length).toBeGreaterThan(0);
    for (const { default: closed } of guards) expect(closed).toHaveLength(0);
  });

  it('named like groups of Harper would be loaded by Harper, so none is', () => {
    const taken = ['http', 'logging', 'static', 'login', 'roles', 'mqtt', 'replication', 'authentication', 'timeout'];
    const own = ['rest', 'graphqlSchema', 'jsResource', 'pluginModule', 'package', 'files', 'urlPath'];
    expect(Object.keys(OPTIONS).filter((name) => [...taken, ...own].includes(name))).toEqual([]);
  });
});
