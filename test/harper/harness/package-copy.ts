import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { link, packageRoot, replaceFile } from '../../../src/cli/host-app.ts';
import type { ComponentOptions, HostApp } from '../../../src/cli/host-app.ts';

const SHIPPED = ['dist', 'package.json', 'schema.graphql', 'roles.yaml'];

/** Throws when the package has not been built: an instance would run without it and every test would fail obscurely. */
export function requireBuiltPackage(): void {
  const missing = ['dist/plugin.js', 'dist/resources.js'].filter((file) => !existsSync(join(packageRoot(), file)));
  if (missing.length > 0)
    throw new Error(`${missing.join(' and ')} is missing: run \`npm run build\` before these tests`);
}

/**
 * Copies what the package (default: this one) ships into `dir`, to be run directly as an app: its options stand at the
 * root of config.yaml, beside Harper's loaders.
 */
export function writePackageCopy(dir: string, options: ComponentOptions, root: string = packageRoot()): HostApp {
  mkdirSync(dir, { recursive: true });
  for (const name of SHIPPED) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(dir, name), { recursive: true });
  }
  link(join(root, 'node_modules'), join(dir, 'node_modules'));
  const configFile = join(dir, 'config.yaml');
  const loaders = parse(readFileSync(join(root, 'config.yaml'), 'utf8')) as Record<string, unknown>;
  const configText = (next: ComponentOptions) => stringify({ ...loaders, ...next });
  writeFileSync(configFile, configText(options));
  return {
    dir,
    configFile,
    writeConfig: (text, how = 'rename') => replaceFile(configFile, text, how),
    writeOptions: (next, how = 'rename') => replaceFile(configFile, configText(next), how),
  };
}
