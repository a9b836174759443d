import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '../..');

/** A source file under src, parsed. */
export interface SourceFile {
  /** Relative to src, with slashes: `bot/ingress.ts`. */
  readonly path: string;
  /** First folder: `bot`; `` for a file at the top of src. */
  readonly folder: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}
export interface Import {
  readonly specifier: string;
  /** The file under src that is meant; `undefined` for packages. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
}

/** Every TypeScript file under src. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => parse(file.replaceAll('\\', '/'), readFileSync(join(ROOT, 'src', file), 'utf8')))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Parses a file as if it stood at `path` under src. */
export function parse(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const folder = path.includes('/') ? (path.split('/')[0] ?? '') : '';
  return { path, folder, text, tree, imports: [...importsOf(tree, path)] };
}

function* importsOf(tree: ts.SourceFile, path: string): Generator<Import> {
  for (const node of nodesOf(tree)) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (!node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier)) continue;
      const typeOnly = ts.isExportDeclaration(node)
        ? node.isTypeOnly
        : node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      yield resolved(node.moduleSpecifier.text, path, typeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) yield resolved(specifier.text, path, false);
    }
  }
}

function resolved(specifier: string, path: string, typeOnly: boolean): Import {
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
  return { specifier, target, typeOnly };
}

/** A tree's nodes, depth first. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** A file's line of a node, for messages. */
export function at(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** The text of a file of the package. */
export function readPackageFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The folder of a path under src that a file lies in, all levels: `bot/identity`. */
export function foldersOf(path: string): string[] {
  return relative('.', dirname(path)).split('/').filter(Boolean);
}
