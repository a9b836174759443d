import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { at, foldersOf, nodesOf, parse, sourceFiles, type SourceFile } from './source-files.ts';

const files = sourceFiles();

const HARPER_GLOBALS = new Set([
  'server',
  'databases',
  'tables',
  'Resource',
  'logger',
  'createBlob',
  'transaction',
  'contentTypes',
]);
const GRAB_BAGS = /^(utils?|helpers?|common|misc|types|shared|constants|index)$/;
const MOST_LINES = 400;
/** Programs, which run when they are loaded. */
const PROGRAMS = new Set(['plugin.ts', 'resources.ts', 'cli/start.ts', 'cli/follow-config.ts', 'worker/main.ts']);

/** Names used as values that nothing in the file declares. */
function globalsUsed(file: SourceFile): [name: string, node: ts.Node][] {
  const declared = new Set<string>();
  const used: [string, ts.Node][] = [];
  for (const node of nodesOf(file.tree)) {
    if (!ts.isIdentifier(node) || !HARPER_GLOBALS.has(node.text)) continue;
    if (isDeclaration(node)) declared.add(node.text);
    else if (isValue(node)) used.push([node.text, node]);
  }
  return used.filter(([name]) => !declared.has(name));
}

function isDeclaration(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isVariableDeclaration(parent) ||
      ts.isParameter(parent) ||
      ts.isBindingElement(parent) ||
      ts.isFunctionDeclaration(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isImportSpecifier(parent) ||
      ts.isImportClause(parent)) &&
    parent.name === node
  );
}

function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) {
    return parent.expression === node || parent.expression.getText() === 'globalThis';
  }
  const isName = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return !isName && !ts.isTypeReferenceNode(parent) && !ts.isPropertySignature(parent) && !ts.isQualifiedName(parent);
}

function harperOutside(sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ folder }) => folder !== 'harper')
    .flatMap((file) => globalsUsed(file).map(([name, node]) => `${at(file, node)} uses the global ${name}`));
}

/** The entry keeps what its thread serves with, since Harper makes the objects of resource classes itself. */
const STATEFUL = 'plugin.ts';

function mutableState(sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ path }) => path !== STATEFUL)
    .flatMap((file) =>
      file.tree.statements
        .filter((statement) => ts.isVariableStatement(statement))
        .filter(({ declarationList }) => (declarationList.flags & ts.NodeFlags.Const) === 0)
        .map((statement) => at(file, statement)),
    );
}

function workAtImport(sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ path }) => !PROGRAMS.has(path))
    .flatMap((file) =>
      file.tree.statements
        .filter(
          (statement) =>
            ts.isExpressionStatement(statement) ||
            ts.isIfStatement(statement) ||
            ts.isForOfStatement(statement) ||
            ts.isTryStatement(statement),
        )
        .map((statement) => at(file, statement)),
    );
}

/** Places that ask the machine for the time or a timer. */
function clocksUsed(file: SourceFile): string[] {
  return [...nodesOf(file.tree)].filter(isMachineClock).map((node) => at(file, node));
}

function isMachineClock(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return node.expression.getText() === 'Date' && !node.arguments?.length;
  return ts.isCallExpression(node) && /^(Date\.now|setTimeout|setInterval)$/.test(node.expression.getText());
}

describe('source files', () => {
  it('are named in kebab-case, and so are their folders', () => {
    const names = files.flatMap(({ path }) => [
      ...foldersOf(path),
      (path.split('/').at(-1) ?? '').replace(/\.ts$/, ''),
    ]);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?$/.test(name))).toEqual([]);
  });

  it('are no grab-bags', () => {
    const names = files.flatMap(({ path }) => path.replace(/\.ts$/, '').split('/'));
    expect(names.filter((name) => GRAB_BAGS.test(name))).toEqual([]);
  });

  it(`have at most ${MOST_LINES} lines`, () => {
    expect(files.filter(({ text }) => text.split('\n').length > MOST_LINES).map(({ path }) => path)).toEqual([]);
  });

  it('have no mutable state of the module, the entry aside', () => {
    expect(mutableState(files)).toEqual([]);
  });

  it('do no work when they are imported, programs aside', () => {
    expect(workAtImport(files)).toEqual([]);
  });

  it("use Harper's globals and package only in src/harper", () => {
    expect(harperOutside(files)).toEqual([]);
    const importing = files.filter(
      ({ folder, imports }) =>
        folder !== 'harper' && imports.some(({ specifier }) => /^harperdb(\/|$)/.test(specifier)),
    );
    expect(importing.map(({ path }) => path)).toEqual([]);
  });

  it('record analytics only in src/metrics', () => {
    const callers = files
      .filter(({ folder }) => !['', 'metrics', 'harper'].includes(folder))
      .filter(({ text }) => /\brecordAnalytics\b/.test(text));
    expect(callers.map(({ path }) => path)).toEqual([]);
  });

  it('read the time and start timers only through the clock', () => {
    const domains = files.filter(({ folder }) => !['', 'harper', 'worker', 'cli', 'console'].includes(folder));
    expect(domains.flatMap(clocksUsed)).toEqual([]);
  });
});

describe('these rules', () => {
  it('find a global of Harper and leave a parameter of its name alone', () => {
    const bad = parse('bot/a.ts', 'export const f = () => databases.x.y; globalThis.server.http();');
    expect(harperOutside([bad])).toHaveLength(2);
    const good = parse(
      'bot/b.ts',
      'interface D { server: number } export const f = ({ server }: D) => server + x.logger;',
    );
    expect(harperOutside([good])).toEqual([]);
  });

  it('find state and work at the top of a module', () => {
    const bad = parse('bot/a.ts', 'let count = 0;\nconst x = 1;\nstart();\n');
    expect(mutableState([bad])).toEqual(['bot/a.ts:1']);
    expect(workAtImport([bad])).toEqual(['bot/a.ts:3']);
  });

  it("find the machine's clock and leave methods of such names alone", () => {
    const text = 'const a = () => Date.now();\nsetTimeout(a);\nnew Date();\nx.setInterval(new Date(5));';
    expect(clocksUsed(parse('bot/a.ts', text))).toEqual(['bot/a.ts:1', 'bot/a.ts:2', 'bot/a.ts:3']);
  });
});
