import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { describeError } from '../errors.ts';

/** The content of a YAML file, or why it cannot be had, with line and column where known. */
export type YamlFile = { readonly ok: true; readonly root: unknown } | { readonly ok: false; readonly reason: string };

/** Reads and parses a YAML file; never throws. */
export function readYamlFile(path: string): YamlFile {
  try {
    return parseYaml(readFileSync(path, 'utf8'));
  } catch (error) {
    return { ok: false, reason: `cannot be read: ${describeError(error)}` };
  }
}

function parseYaml(text: string): YamlFile {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error === undefined) return { ok: true, root: document.toJS({ maxAliasCount: 100 }) as unknown };
  const at = error.linePos?.[0];
  const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`;
  // The message goes on with an excerpt of the file, which may hold a secret.
  const what = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
  return { ok: false, reason: `is not valid YAML${where}: ${what}` };
}
