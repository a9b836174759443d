import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

/** Options of the component, as they stand in YAML. */
export type ComponentOptions = Readonly<Record<string, unknown>>;

/** A directory that Harper runs as an app, which mounts the component. */
export interface HostApp {
  readonly dir: string;
  /** `config.yaml` of the app. */
  readonly configFile: string;
  /** Replaces the options. `rename` (default) is how editors save, `in-place` how shells do. */
  writeOptions(options: ComponentOptions, how?: 'rename' | 'in-place'): void;
  /** Replaces the whole config.yaml by this text, e.g. broken YAML. */
  writeConfig(text: string, how?: 'rename' | 'in-place'): void;
}

/** Key of the component in a host's config.yaml, and its package name. */
export const COMPONENT_NAME = 'harper-prerender';

/** Directory of this package: the nearest one above that holds a package.json. */
export function packageRoot(): string {
  // src/cli/ and dist/cli/ are equally deep.
  return dirname(dirname(dirname(fileURLToPath(import.meta.url))));
}

/**
 * Writes (or rewrites) a host app. Harper resolves the component from the app's node_modules, where a link leads to
 * `packageDir` (default: this package): its modules are loaded by their real path, so with the package's own dependencies.
 */
export function writeHostApp(dir: string, options: ComponentOptions, packageDir: string = packageRoot()): HostApp {
  mkdirSync(join(dir, 'node_modules'), { recursive: true });
  link(packageDir, join(dir, 'node_modules', COMPONENT_NAME));
  const manifest = { name: 'harper-prerender-host', version: '1.0.0', private: true, type: 'module' };
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const configFile = join(dir, 'config.yaml');
  const app: HostApp = {
    dir,
    configFile,
    writeConfig: (text, how = 'rename') => replaceFile(configFile, text, how),
    writeOptions: (next, how) => app.writeConfig(hostConfig(next), how),
  };
  app.writeOptions(options);
  return app;
}

/** The text of a host's config.yaml that mounts the component with these options. */
export function hostConfig(options: ComponentOptions): string {
  return stringify({ [COMPONENT_NAME]: { package: COMPONENT_NAME, files: '/', ...options } });
}

/** Replaces a file's content, at once by `rename` or by writing over it. */
export function replaceFile(file: string, text: string, how: 'rename' | 'in-place'): void {
  if (how === 'in-place') return writeFileSync(file, text);
  const next = join(dirname(file), `.${process.pid}.next`);
  writeFileSync(next, text);
  renameSync(next, file);
}

/** Makes `path` a symbolic link to `target`, replacing a link that leads elsewhere. */
export function link(target: string, path: string): void {
  if (linkTarget(path) === target) return;
  rmSync(path, { force: true });
  symlinkSync(target, path, 'dir');
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
