import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Request headers by lower- or mixed-case name; several of one name are joined by `, `. */
export interface RequestHeaders {
  get(name: string): string | null | undefined;
}

/** Authenticated user of an ordinary (not `runFirst`) handler. */
export interface HttpUser {
  readonly username: string;
  readonly role?: { readonly role?: string; readonly permission?: { readonly super_user?: boolean } };
}

/** A request as Harper hands it to a `server.http` handler. */
export interface HttpRequest {
  readonly method: string;
  /** Raw request target, byte for byte; absolute-form arrives unparsed. */
  readonly url: string;
  readonly pathname: string;
  readonly headers: RequestHeaders;
  readonly ip?: string;
  /** Undefined when anonymous, and always in a `runFirst` handler. */
  readonly user?: HttpUser | null;
  readonly _nodeRequest: IncomingMessage;
  readonly _nodeResponse: ServerResponse;
}

export type ResponseHeaders = Record<string, string | string[]>;

/** An answer. A 304 or 204 without body gets `Content-Length: 0` from Harper; with an empty stream it does not. */
export interface HttpResponse {
  status: number;
  headers: ResponseHeaders;
  body?: Buffer | string | Readable;
}

/** Answers the request, or hands it to the next handler. */
export type HttpHandler = (
  request: HttpRequest,
  next: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
) => HttpResponse | Promise<HttpResponse>;
