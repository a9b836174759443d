import { connect } from 'node:net';

/** Where and how bytes are sent. */
export interface RawTarget {
  /** `http://address:port`. */
  baseUrl: string;
  /** Ms without an answer; default 10,000. */
  limitMs?: number;
}

/** A request whose every byte is as given: nothing is added, escaped or normalised. */
export interface RawRequest extends RawTarget {
  /** Default GET. */
  method?: string;
  /** The request target as it stands on the request line: a raw path, or an absolute URL. */
  path: string;
  /** Default `1.1`. */
  version?: string;
  /** Default: `Host` of the base URL and `Connection: close`. A string is a name or value in latin1 bytes. */
  headers?: readonly (readonly [name: string, value: string])[];
  body?: string | Buffer;
}

/** A parsed answer. */
export interface RawResponse {
  status: number;
  reason: string;
  version: string;
  /** Header values by lower-case name, in order. */
  headers: ReadonlyMap<string, readonly string[]>;
  /** First value of a header. */
  header(name: string): string | undefined;
  /** The body, chunked framing removed, content coding kept. */
  body: Buffer;
}

/** Sends a request byte for byte and parses the answer. Throws an Error when none comes in time or it is cut off. */
export async function rawRequest(request: RawRequest): Promise<RawResponse> {
  const method = request.method ?? 'GET';
  return parseResponse(await sendBytes(request, formatRequest(request), { headOnly: method === 'HEAD' }), method);
}

/** The bytes of a request. */
export function formatRequest(request: RawRequest): Buffer {
  const headers = request.headers ?? [
    ['Host', new URL(request.baseUrl).host],
    ['Connection', 'close'],
  ];
  const lines = [
    `${request.method ?? 'GET'} ${request.path} HTTP/${request.version ?? '1.1'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.from(request.body ?? '', 'utf8');
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/**
 * Sends bytes on a connection of their own and returns all that comes back until the server closes it or, when it keeps
 * the connection open, until the first answer is complete.
 */
export function sendBytes(target: RawTarget, bytes: Buffer, how: { headOnly?: boolean } = {}): Promise<Buffer> {
  const { hostname, port } = new URL(target.baseUrl);
  const limitMs = target.limitMs ?? 10_000;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      const seen = Buffer.concat(chunks).toString('latin1').slice(0, 300);
      reject(new Error(`No complete answer within ${limitMs} ms; so far: ${JSON.stringify(seen)}`));
    }, limitMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isComplete(Buffer.concat(chunks), how.headOnly ?? false)) end();
    });
    socket.on('end', end);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that refuses a request resets the connection after its answer when bytes are left unread.
      if (chunks.length > 0) return end();
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** Parses an answer's bytes, interim (1xx) answers skipped. Throws an Error on anything that is not a whole HTTP answer. */
export function parseResponse(bytes: Buffer, method = 'GET'): RawResponse {
  const head = readHead(bytes);
  if (!head) throw new Error(`Not an HTTP answer: ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`);
  const { status, reason, version, headers } = head;
  const rest = bytes.subarray(head.end);
  return {
    status,
    reason,
    version,
    headers,
    header: (name) => headers.get(name.toLowerCase())?.[0],
    body: hasNoBody(status, method === 'HEAD') ? Buffer.alloc(0) : readBody(rest, headers),
  };
}

interface Head {
  status: number;
  reason: string;
  version: string;
  headers: Map<string, string[]>;
  /** Offset of the body. */
  end: number;
}

function readHead(bytes: Buffer, from = 0): Head | undefined {
  const blank = bytes.indexOf('\r\n\r\n', from, 'latin1');
  if (blank < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', from, blank).split('\r\n');
  const match = /^HTTP\/(\d\.\d) (\d{3}) ?(.*)$/.exec(first);
  if (!match) return undefined;
  const status = Number(match[2]);
  const end = blank + 4;
  if (status >= 100 && status < 200) return readHead(bytes, end);
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { status, reason: match[3] ?? '', version: match[1] ?? '', headers, end };
}

function hasNoBody(status: number, headOnly: boolean): boolean {
  return headOnly || status === 204 || status === 304;
}

function isComplete(bytes: Buffer, headOnly: boolean): boolean {
  const head = readHead(bytes);
  if (!head) return false;
  if (hasNoBody(head.status, headOnly)) return true;
  const rest = bytes.subarray(head.end);
  if (isChunked(head.headers)) return readChunks(rest) !== undefined;
  const length = head.headers.get('content-length')?.[0];
  return length !== undefined && rest.length >= Number(length);
}

function readBody(rest: Buffer, headers: Head['headers']): Buffer {
  if (isChunked(headers)) {
    const body = readChunks(rest);
    if (!body) throw new Error(`The chunked body is cut off after ${rest.length} bytes`);
    return body;
  }
  const length = headers.get('content-length')?.[0];
  if (length === undefined) return rest;
  if (rest.length < Number(length)) throw new Error(`The body is cut off: ${rest.length} of ${length} bytes came`);
  return rest.subarray(0, Number(length));
}

function isChunked(headers: Head['headers']): boolean {
  return headers.get('transfer-encoding')?.some((value) => /chunked/i.test(value)) ?? false;
}

/** Undefined while the last chunk is missing. */
function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error(`Not a chunk size at byte ${at} of the body`);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
