import { describe, expect, it } from 'vitest';
import { parse, sourceFiles, type SourceFile } from './source-files.ts';

const BASE = ['url', 'errors', 'harper'];
const SHARED = ['metrics', 'config', 'protocol', 'cluster', ...BASE];

/** What each folder (or file at the top of src, by its name) may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  url: ['errors'],
  harper: ['errors'],
  protocol: BASE,
  metrics: BASE,
  config: BASE,
  cluster: BASE,
  page: SHARED,
  target: SHARED,
  demand: SHARED,
  product: ['target', 'page', ...SHARED],
  sitemap: ['target', 'page', 'product', ...SHARED],
  probe: ['target', 'page', 'product', ...SHARED],
  queue: ['target', 'page', 'demand', ...SHARED],
  bot: ['target', 'page', 'demand', 'product', ...SHARED],
  admin: ['bot', 'queue', 'sitemap', 'product', 'probe', 'demand', 'target', 'page', ...SHARED],
  worker: ['protocol', 'url', 'errors'],
  console: [],
  cli: ['config', 'protocol', 'url', 'errors'],
};
/** Files at the top of src wire everything but the processes of their own; the list of errors is no such file. */
const isWiring = (path: string): boolean => !path.includes('/') && path !== 'errors.ts';
const OUTSIDE = new Set(['worker', 'cli', 'console']);

function part(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : path.replace(/\.ts$/, '');
}

function isForbidden(from: string, to: string): boolean {
  const [source, target] = [part(from), part(to)];
  if (source === target) return false;
  if (isWiring(from)) return OUTSIDE.has(target);
  return !(ALLOWED[source] ?? []).includes(target);
}

function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target !== undefined && isForbidden(path, target))
      .map(({ specifier }) => `${path} imports ${specifier}`),
  );
}

/** Files that import each other in a circle, as `a → b → a`; each circle once. */
function circles(files: readonly SourceFile[]): string[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

const files = sourceFiles();

describe('imports', () => {
  it('go only in the directions of the design', () => {
    expect(forbiddenImports(files)).toEqual([]);
  });

  it('make no circle', () => {
    expect(circles(files)).toEqual([]);
  });

  it('of one domain never reach into the store of another', () => {
    const reaching = files
      .filter(({ path }) => !isWiring(path))
      .flatMap(({ path, folder, imports }) =>
        imports
          .filter(({ target }) => target?.endsWith('/store.ts') === true && part(target) !== folder)
          .map(({ specifier }) => `${path} imports ${specifier}`),
      );
    expect(reaching).toEqual([]);
  });

  it('name files that exist', () => {
    const known = new Set(files.map(({ path }) => path));
    const missing = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target?.endsWith('.ts') === true && !target.startsWith('..') && !known.has(target))
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(missing).toEqual([]);
  });

  it('of the product come with relative paths from src alone', () => {
    const leaving = files.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => target?.startsWith('..')).map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(leaving.filter((line) => !line.startsWith('cli/'))).toEqual([]);
  });
});

describe('these rules', () => {
  it('know every folder and every file at the top', () => {
    const unknown = files.filter(({ path }) => ALLOWED[part(path)] === undefined && !isWiring(path));
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it('find a forbidden import, also one that is dynamic or exported again', () => {
    const bad = [
      parse('url/a.ts', "import type { X } from '../harper/clock.ts';"),
      parse('target/b.ts', "export { x } from '../queue/claim.ts';"),
      parse('worker/c.ts', "const x = await import('../config/schema.ts');"),
    ];
    expect(forbiddenImports(bad)).toHaveLength(3);
  });

  it('find a circle over three files', () => {
    const ring = [
      parse('bot/a.ts', "import './b.ts';"),
      parse('bot/b.ts', "import '../page/c.ts';"),
      parse('page/c.ts', "import '../bot/a.ts';"),
    ];
    expect(circles(ring)).toEqual(['bot/a.ts → bot/b.ts → page/c.ts → bot/a.ts']);
  });
});
