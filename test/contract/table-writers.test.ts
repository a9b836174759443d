import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { at, nodesOf, parse, readPackageFile, sourceFiles, type SourceFile } from './source-files.ts';

const files = sourceFiles();

/** Tables that hold no rows of ours: locks, buffers, and what keeps their database quiet. */
const WITHOUT_ROWS = /^coordination\.SharedBuffer$|Anchor$/;

/** Every table of the schema as `database.Name`. */
const tables = [...readPackageFile('schema.graphql').matchAll(/^type (\w+)\s+@table\(database: "(\w+)"/gm)]
  .map(([, name, database]) => `${database}.${name}`)
  .filter((table) => !WITHOUT_ROWS.test(table));

/** Where each table is opened. */
const openings = files.flatMap((file) =>
  [...nodesOf(file.tree)]
    .filter((node) => ts.isCallExpression(node))
    .filter(({ expression }) => expression.getText() === 'openTable')
    .map((call) => ({
      table: call.arguments.map((argument) => (ts.isStringLiteral(argument) ? argument.text : '?')).join('.'),
      place: at(file, call),
    })),
);

const WRITES = ['put', 'write', 'patch', 'delete'];

/** A parameter or property of type `Table<Row>` in a domain folder, and whether its file writes through it. */
interface Handle {
  readonly row: string;
  readonly path: string;
  readonly folder: string;
  readonly writes: boolean;
}

function handlesOf(file: SourceFile): Handle[] {
  const nodes = [...nodesOf(file.tree)];
  const written = new Set(
    nodes
      .filter((node) => ts.isCallExpression(node))
      .map(({ expression }) => expression)
      .filter((called) => ts.isPropertyAccessExpression(called))
      .filter((called) => WRITES.includes(called.name.text))
      .map(({ expression }) => expression.getText().split('.').at(-1)),
  );
  return nodes
    .filter((node) => ts.isTypeReferenceNode(node))
    .filter(({ typeName }) => typeName.getText() === 'Table')
    .map(({ parent, typeArguments }) => ({
      row: typeArguments?.[0]?.getText() ?? '?',
      path: file.path,
      folder: file.folder,
      writes: 'name' in parent && written.has((parent.name as ts.Node).getText()),
    }));
}

const handles = files.filter(({ folder }) => folder !== 'harper' && folder !== '').flatMap(handlesOf);
const rows = [...new Set(handles.map(({ row }) => row))];

describe('tables', () => {
  it.each(tables)('%s is opened in one place', (table) => {
    expect(openings.filter((opening) => opening.table === table)).toHaveLength(1);
  });

  it('that are opened stand in the schema', () => {
    expect(openings.filter(({ table }) => !tables.includes(table))).toEqual([]);
  });

  it.each(rows)('of %s rows are written by one file, and held in one domain', (row) => {
    const own = handles.filter((handle) => handle.row === row);
    expect(new Set(own.filter(({ writes }) => writes).map(({ path }) => path)).size).toBe(1);
    expect(new Set(own.map(({ folder }) => folder)).size).toBe(1);
  });
});

describe('this rule', () => {
  it('tells a file that writes from one that hands on', () => {
    const writer = parse('a/x.ts', 'const f = ({ table }: { table: Table<Row> }) => table.put({});');
    const other = parse(
      'a/y.ts',
      'interface Deps { readonly rows: Table<Row> } const g = (deps: Deps) => f({ table: deps.rows });',
    );
    const deep = parse(
      'a/z.ts',
      'interface Deps { readonly rows: Table<Row> } const g = (deps: Deps) => deps.rows.delete(1);',
    );
    expect([writer, other, deep].flatMap(handlesOf).map(({ writes }) => writes)).toEqual([true, false, true]);
  });
});
