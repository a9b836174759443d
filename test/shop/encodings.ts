import * as zlib from 'node:zlib';

/** Content codings that the shop knows by name. */
export const ENCODINGS = ['gzip', 'br', 'deflate', 'zstd'] as const;

export type Encoding = (typeof ENCODINGS)[number];

// Node.js has zstd from 22.15 on; the type declarations of older versions lack it.
const { zstdCompressSync } = zlib as typeof zlib & { zstdCompressSync?: (data: Buffer) => Buffer };

/** The codings that this Node.js can write. */
export function supportedEncodings(): Encoding[] {
  return ENCODINGS.filter((name) => name !== 'zstd' || zstdCompressSync !== undefined);
}

/** Encodes a body, the first coding first. Throws when this Node.js cannot write one. */
export function encode(body: Buffer, encodings: readonly Encoding[]): Buffer {
  return encodings.reduce(encodeOnce, body);
}

function encodeOnce(body: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'gzip':
      return zlib.gzipSync(body);
    case 'br':
      return zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } });
    case 'deflate':
      return zlib.deflateSync(body);
    case 'zstd':
      if (zstdCompressSync === undefined) throw new Error('This Node.js cannot write zstd');
      return zstdCompressSync(body);
  }
}
