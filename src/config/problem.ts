/** Something wrong with a configuration, said so that whoever wrote it can put it right. */
export interface Problem {
  /** An error makes a value unusable; a warning is about usable values that hardly mean what was wanted. */
  readonly severity: 'error' | 'warning';
  /** Where: `ingress.routes[2].path`; empty for the whole configuration. */
  readonly path: string;
  /** The value as it may be shown: shortened, secrets hidden; `null` when there is none. */
  readonly value: string | null;
  readonly problem: string;
  /** What would be right. */
  readonly hint: string;
  /** Layer that the value stands in. */
  readonly layer: string;
  /** What is in force instead; empty when the value is. */
  readonly consequence: string;
  /** All of it in one line, for the log. */
  readonly text: string;
}

const SHOWN_LENGTH = 120;
const SECRET_KEY = /token|secret|passw|credential|api-?key/i;

/** Builds a problem with its line of text. */
export function problemOf(parts: Omit<Problem, 'text'>): Problem {
  const where = parts.path === '' ? 'The configuration' : `\`${parts.path}\``;
  const value = parts.value === null ? '' : ` (${parts.value})`;
  const ends = [parts.hint, parts.consequence]
    .filter((part) => part !== '')
    .map((part) => (part.endsWith('?') ? part : `${part}.`));
  return { ...parts, text: [`${where} in ${parts.layer}${value} ${parts.problem}.`, ...ends].join(' ') };
}

/** A path of keys and indexes as written in messages; keys with other characters stand in brackets. */
export function formatPath(segments: readonly (string | number)[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(segment)) path += path === '' ? segment : `.${segment}`;
    else path += `[${JSON.stringify(segment.length > 60 ? `${segment.slice(0, 60)}…` : segment)}]`;
  }
  return path;
}

/** A value as it may be shown: one short line; credentials in URLs and under keys that sound secret are left out. */
export function showValue(value: unknown, secret = false): string | null {
  if (value === undefined) return null;
  if (secret) return 'hidden, since it is secret';
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (key, inner: unknown) =>
      SECRET_KEY.test(key) ? '(hidden)' : typeof inner === 'bigint' ? inner.toString() : inner,
    );
  } catch {
    text = undefined;
  }
  const plain = (text ?? typeof value).replace(/\/\/[^/@\s"]*@/g, '//(hidden)@');
  return plain.length > SHOWN_LENGTH ? `${plain.slice(0, SHOWN_LENGTH)}…` : plain;
}

/** Whether a key sounds as if its value were secret. */
export function soundsSecret(key: string): boolean {
  return SECRET_KEY.test(key);
}
