import type { ResponseHeaders } from '../../harper/http.ts';
import { connectionNames, HOP_BY_HOP } from './connection-headers.ts';

/**
 * The origin's headers as they are relayed: byte for byte, without those of the connection. Cookies are dropped always:
 * none is sent to the origin, so that a session could not work, and an answer may be shared. `setsCookie` says there was one.
 */
export interface RelayedHeaders {
  readonly headers: ResponseHeaders;
  readonly setsCookie: boolean;
}

/** Reads alternating names and values as undici has them from the wire. */
export function relayedHeaders(raw: readonly (Buffer | string)[]): RelayedHeaders {
  const headers: ResponseHeaders = {};
  let connection: string | undefined;
  let setsCookie = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    // Latin-1 keeps every byte, and is how Node writes them again.
    const name = latin1(raw[at]).toLowerCase();
    if (name === 'set-cookie') setsCookie = true;
    else if (name === 'connection') connection = latin1(raw[at + 1]);
    else if (!HOP_BY_HOP.has(name)) append(headers, name, latin1(raw[at + 1]));
  }
  for (const name of connectionNames(connection)) delete headers[name];
  return { headers, setsCookie };
}

function latin1(text: Buffer | string | undefined): string {
  return typeof text === 'string' ? text : (text?.toString('latin1') ?? '');
}

function append(headers: ResponseHeaders, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (typeof before === 'string') headers[name] = [before, value];
  else before.push(value);
}

/** One text of a header that may have come several times. */
export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
