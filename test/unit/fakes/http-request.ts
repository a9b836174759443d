import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HttpRequest, HttpUser } from '../../../src/harper/http.ts';

export interface FakeRequestOptions {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly user?: HttpUser;
}

export const SUPER_USER: HttpUser = { username: 'ada', role: { role: 'super_user', permission: { super_user: true } } };

/** A request as a `server.http` handler gets it, over a socket that is connected to nothing. */
export function fakeRequest(options: FakeRequestOptions = {}): HttpRequest {
  const { method = 'GET', url = '/', headers = {}, body, user } = options;
  const node = new IncomingMessage(new Socket());
  node.method = method;
  node.url = url;
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (body !== undefined) node.push(body);
  node.push(null);
  return {
    method,
    url,
    pathname: url.split('?')[0] ?? url,
    headers: { get: (name) => lower.get(name.toLowerCase()) },
    ip: '127.0.0.1',
    user,
    _nodeRequest: node,
    _nodeResponse: new ServerResponse(node),
  };
}
