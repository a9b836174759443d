import type { IncomingMessage } from 'node:http';

/** One request as the shop received it. */
export interface LoggedRequest {
  /** Position in the log, from 1. */
  readonly n: number;
  /** When its head had arrived, ms since 1970. */
  readonly at: number;
  readonly method: string;
  /** The request target, byte for byte (one character a byte). */
  readonly url: string;
  /** By lower-case name; values of a repeated name joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name and value in turn, as received. */
  readonly rawHeaders: readonly string[];
}

/** The log of what the shop was asked. Keeps the newest `limit` requests; older ones are dropped and counted. */
export interface RequestLog {
  add(request: IncomingMessage, at: number): void;
  /** Requests after position `n`, oldest first. */
  since(n: number): LoggedRequest[];
  /** Position of the newest request, 0 when there was none. */
  last(): number;
  dropped(): number;
  /** Forgets the requests; positions go on counting. */
  clear(): void;
}

/** An empty log. */
export function createRequestLog(limit = 20_000): RequestLog {
  let entries: LoggedRequest[] = [];
  let last = 0;
  let dropped = 0;
  return {
    add(request, at) {
      last += 1;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      );
      entries.push({
        n: last,
        at,
        method: request.method ?? '',
        url: request.url ?? '',
        headers,
        rawHeaders: request.rawHeaders,
      });
      // Cutting in larger steps keeps the cost of a request constant.
      if (entries.length > limit * 1.1) {
        dropped += entries.length - limit;
        entries = entries.slice(-limit);
      }
    },
    since: (n) => entries.filter((entry) => entry.n > n),
    last: () => last,
    dropped: () => dropped,
    clear() {
      entries = [];
      dropped = 0;
    },
  };
}
