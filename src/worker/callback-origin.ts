import { isIP } from 'node:net';

/**
 * Base URL that takes the result of a job claimed from `server`. When the job's callback names the host of a known
 * server (first the one claimed from) and no other port, that server's scheme and port are used; else `http://` on
 * loopback and `https://` elsewhere, as the 1.18 worker does. A callback that is no `hostname[:port]` answers `server`.
 */
export function resultServer(callbackOrigin: string, server: string, servers: readonly string[]): string {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/i.exec(callbackOrigin);
  if (!match) return new URL(server).origin;
  const hostname = (match[1] ?? '').toLowerCase();
  const port = match[2] ?? null;
  for (const candidate of [server, ...servers]) {
    const known = new URL(candidate);
    if (known.hostname === hostname && (port === null || port === portOf(known))) return known.origin;
  }
  return `${isLoopback(hostname) ? 'http' : 'https'}://${hostname}${port === null ? '' : `:${port}`}`;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}
