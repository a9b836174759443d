/** Headers that are about one connection and never passed on (RFC 9110 §7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Names that a Connection header lists, in lower case: those headers are about the connection too. */
export function connectionNames(connection: string | null | undefined): ReadonlySet<string> {
  if (connection === null || connection === undefined || connection === '') return NONE;
  const value = connection.toLowerCase();
  if (value === 'keep-alive' || value === 'close') return NONE;
  return new Set(value.split(',').map((name) => name.trim()));
}

const NONE: ReadonlySet<string> = new Set();
