import type { IncomingMessage } from 'node:http';

/** Reads a request's body as UTF-8; what goes beyond `limit` bytes is cut off. */
export async function readText(request: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (size < limit) chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}
