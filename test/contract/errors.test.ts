import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorDescriptor } from '../../src/errors.ts';
import { at, nodesOf, readPackageFile, sourceFiles } from './source-files.ts';

const codes = Object.keys(ERRORS);
const placeholders = (code: string): string[] => {
  const { message } = (ERRORS as Readonly<Record<string, ErrorDescriptor>>)[code] ?? { message: '' };
  return [...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();
};

/** Every `new PrerenderError(…)` in src. */
const raised = sourceFiles().flatMap((file) =>
  [...nodesOf(file.tree)]
    .filter((node): node is ts.NewExpression => ts.isNewExpression(node))
    .filter(({ expression }) => expression.getText() === 'PrerenderError')
    .map((node) => ({ place: at(file, node), args: node.arguments ?? ts.factory.createNodeArray<ts.Expression>() })),
);
/** Codes as they stand anywhere in src outside the list, in quotes. */
const mentioned = new Set(
  sourceFiles()
    .filter(({ path }) => path !== 'errors.ts')
    .flatMap(({ tree }) => [...nodesOf(tree)].filter((node) => ts.isStringLiteral(node)).map(({ text }) => text)),
);
const page = readPackageFile('docs/errors.md');

describe('error codes', () => {
  it.each(codes)('%s is raised somewhere', (code) => {
    expect(mentioned.has(code)).toBe(true);
  });

  it('that are raised get every detail of their message, and no other', () => {
    const wrong = raised.flatMap(({ place, args: [first, details] }) => {
      if (first === undefined || !ts.isStringLiteral(first)) return [];
      if (details !== undefined && !ts.isObjectLiteralExpression(details)) return [];
      if (details?.properties.some((property) => ts.isSpreadAssignment(property))) return [];
      const given = (details?.properties ?? []).map((property) => property.name?.getText() ?? '').sort();
      const wanted = [...new Set(placeholders(first.text))];
      return given.join() === wanted.join()
        ? []
        : [`${place}: ${first.text} gets ${given.join()}, not ${wanted.join()}`];
    });
    expect(wrong).toEqual([]);
  });

  it('stand in the table of docs/errors.md, and nothing else does', () => {
    const listed = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(listed).toEqual(codes);
  });

  it('have their advice in docs/errors.md, and nothing else has', () => {
    const advised = [...page.matchAll(/^- (`[A-Z_]+`(?:, `[A-Z_]+`)*):/gm)].flatMap(([, names]) =>
      [...(names ?? '').matchAll(/[A-Z_]+/g)].map(([code]) => code),
    );
    expect(advised.sort()).toEqual([...codes].sort());
  });

  it('have a status that fits their kind of error', () => {
    for (const { status, retry } of Object.values<ErrorDescriptor>(ERRORS)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(retry === 'later').toBe(status >= 500 && status !== 508);
    }
  });
});
