import { request, type IncomingHttpHeaders } from 'node:http';

/** An answer with its body as it came over the wire, neither decoded nor redirected. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What to send besides the path. */
export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Asks for a path byte for byte. Rejects when the connection breaks before the answer is complete. */
export async function ask(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The same, with the body as text. */
export async function askText(origin: string, path: string, options?: RawRequest): Promise<string> {
  return (await ask(origin, path, options)).body.toString('utf8');
}

/** Sends a command to the shop's control API and gives status and parsed answer. */
export async function command(
  origin: string,
  name: string,
  body: unknown,
): Promise<{ status: number; data: Record<string, unknown> }> {
  const answer = await ask(origin, `/__shop/${name}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, data: JSON.parse(answer.body.toString()) as Record<string, unknown> };
}

/** The canonical that a document declares, unescaped, or undefined. */
export function canonicalOf(html: string): string | undefined {
  return /<link rel="canonical" href="([^"]*)">/.exec(html)?.[1]?.replaceAll('&amp;', '&');
}
