import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The environment of Harper's process, as far as it tells where apps lie. */
export interface DeploymentEnv {
  /** Folder that `harperdb run` or `dev` was given. */
  readonly RUN_HDB_APP?: string | undefined;
  /** Harper's data directory; apps are deployed to `components` in it, unless configured otherwise. */
  readonly ROOTPATH?: string | undefined;
}

/**
 * Whether this package is the app itself and not mounted by a host app: its real path is the folder that Harper was told to
 * run, or lies directly in the components root. `componentsRoot` is Harper's setting of that name, where known.
 */
export function isDirectDeployment(packageRoot: string, env: DeploymentEnv, componentsRoot?: string): boolean {
  const root = realPath(packageRoot);
  if (env.RUN_HDB_APP && realPath(env.RUN_HDB_APP) === root) return true;
  const components = componentsRoot ?? (env.ROOTPATH ? join(env.ROOTPATH, 'components') : undefined);
  return components !== undefined && realPath(components) === dirname(root);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
