import { harperGlobals } from './globals.ts';

/** Host and port under which this node's HTTP is reached; TLS is preferred where it is on. */
export function nodeHttpAddress(): string {
  const { hostname, config } = harperGlobals().server;
  const port = portOf(config?.http?.securePort) ?? portOf(config?.http?.port);
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return port === undefined ? host : `${host}:${port}`;
}

/** Harper takes a port as a number, a text, or `address:port`. */
function portOf(setting: number | string | null | undefined): number | undefined {
  const port = Number(
    String(setting ?? '')
      .split(':')
      .at(-1),
  );
  return Number.isInteger(port) && port > 0 ? port : undefined;
}
