import { isOption, type OptionGroup } from './descriptor.ts';
import type { Finding } from './finding.ts';
import { eachOption, locate, securityPaths, type Spot } from './locate.ts';
import { nearKeys } from './nearest-key.ts';
import { formatPath, showValue, soundsSecret } from './problem.ts';

/**
 * What is to say about a key that no option has: the nearest known one, and which security options it closes, since it may
 * have been meant for them.
 */
export function unknownKey(group: OptionGroup, spot: Spot, key: string, value: unknown): Finding {
  const known = knownKeys(spot);
  const near = nearKeys(key, known);
  const path = formatPath([...spot.segments, key]);
  const elsewhere = pathsNamedBy(group, key);
  const hint = unknownKeyHint(spot, key, near, elsewhere);
  const closes = [...closedByMisspelling(spot, near, value), ...elsewhere.filter((at) => isSecurity(group, at))];
  const secret =
    spot.secret || soundsSecret(key) || [...closes, ...elsewhere].some((at) => locate(group, at.split('.')).secret);
  return {
    path,
    value: showValue(value, secret),
    problem: 'is not a known option',
    hint,
    spoils: spot.optionPath === undefined ? [] : [spot.optionPath],
    closes,
  };
}

function unknownKeyHint(spot: Spot, key: string, near: readonly string[], elsewhere: readonly string[]): string {
  const exact = elsewhere.filter((path) => lastPart(path).toLowerCase() === lastPart(key).toLowerCase());
  if (exact.length > 0) {
    return `It is known as \`${exact.join('` and `')}\`${key.includes('.') ? ': one key below the other, without dots' : ''}`;
  }
  const here = near[0] === undefined ? undefined : formatPath([...spot.segments, near[0]]);
  const nearest = key.includes('.') ? (elsewhere[0] ?? here) : (here ?? elsewhere[0]);
  return nearest === undefined ? `Known here: ${knownKeys(spot).join(', ')}` : `Did you mean \`${nearest}\`?`;
}

function knownKeys(spot: Spot): string[] {
  const { wanted } = spot;
  if (wanted.kind === 'group') return Object.keys(wanted.group);
  if (wanted.kind === 'object') return Object.keys(wanted.fields);
  return wanted.kind === 'option' && wanted.option.kind === 'object' ? Object.keys(wanted.option.fields) : [];
}

/**
 * Options elsewhere that a key names by their last part or, dotted, by their path; of security options misspelt names too,
 * when nothing is named well.
 */
function pathsNamedBy(group: OptionGroup, key: string): string[] {
  const wanted = key.toLowerCase();
  const options = [...eachOption(group)];
  const exact = options.filter(([path]) => `.${path.toLowerCase()}`.endsWith(`.${wanted}`));
  if (exact.length > 0) return exact.map(([path]) => path);
  return options
    .filter(([path, option]) => option.security === true && nearKeys(key, [path, lastPart(path)]).length > 0)
    .map(([path]) => path);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function isSecurity(group: OptionGroup, path: string): boolean {
  const { wanted } = locate(group, path.split('.'));
  return wanted.kind === 'option' && wanted.option.security === true;
}

/** The security options that a misspelt key may have been meant for. */
function closedByMisspelling(spot: Spot, near: readonly string[], value: unknown): string[] {
  if (spot.wanted.kind !== 'group') return [];
  const closed: string[] = [];
  for (const name of near) {
    const entry = spot.wanted.group[name];
    const path = [...spot.segments, name].join('.');
    if (entry === undefined) continue;
    if (isOption(entry)) closed.push(...(entry.security === true ? [path] : []));
    else closed.push(...namedIn(entry, path, value));
  }
  return closed;
}

/** The security options of a group that the keys of `value` name, well spelt or not. */
function namedIn(group: OptionGroup, prefix: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return securityPaths(group, prefix);
  const spot: Spot = { segments: prefix.split('.'), secret: false, wanted: { kind: 'group', group } };
  const named: string[] = [];
  for (const [key, inner] of Object.entries(value as Record<string, unknown>)) {
    named.push(...closedByMisspelling(spot, nearKeys(key, Object.keys(group)), inner));
  }
  return named;
}
