import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { PageEncoding } from './etag.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);
const brotliAsync = promisify(brotliCompress);

const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 5;
const GZIP_MINIMUM_BYTES = 18;

/** Compresses a body for storing; in the thread pool. */
export function compressForStore(html: Buffer): Promise<Buffer> {
  return gzipAsync(html, { level: GZIP_LEVEL });
}

/**
 * Derives an encoding from the stored gzip bytes; in the thread pool.
 * @throws Error when the bytes are no gzip or unpack to more than `maxBytes`.
 */
export async function deriveEncoding(gzipped: Buffer, encoding: PageEncoding, maxBytes: number): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped;
  const plain = await gunzipAsync(gzipped, { maxOutputLength: Math.max(1, maxBytes) });
  if (encoding === 'identity') return plain;
  return brotliAsync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  });
}

/** Whether the bytes look like a whole gzip member of a body of `bodyBytes`: its trailer names the length. */
export function isWholeGzip(gzipped: Buffer, bodyBytes: number): boolean {
  if (gzipped.length < GZIP_MINIMUM_BYTES || gzipped[0] !== 0x1f || gzipped[1] !== 0x8b) return false;
  return gzipped.readUInt32LE(gzipped.length - 4) === bodyBytes % 2 ** 32;
}
