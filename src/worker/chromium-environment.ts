import { ENV_PREFIX } from './option-names.ts';

/** The environment that a browser is started with: `own` without the worker's options (a password is among them), with `added` on top. */
export function chromiumEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const kept = Object.entries(own).filter(([name]) => !name.startsWith(ENV_PREFIX));
  return { ...Object.fromEntries(kept), ...added };
}
