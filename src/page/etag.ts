import { createHash } from 'node:crypto';

/** Encodings in which a page is served; the stored one is gzip. */
export const PAGE_ENCODINGS = ['gzip', 'br', 'identity'] as const;
export type PageEncoding = (typeof PAGE_ENCODINGS)[number];

/** Hash of an uncompressed body: 128 bits of SHA-256, 22 characters that an entity tag may hold. */
export function hashBody(html: Buffer): string {
  return createHash('sha256').update(html).digest('base64url').slice(0, 22);
}

/** Strong entity tag of a page in one encoding: `"<hash>-<device>"`, with the encoding's name behind it when there is one. */
export function pageEtag(bodyHash: string, deviceType: string, encoding: PageEncoding): string {
  return encoding === 'identity' ? `"${bodyHash}-${deviceType}"` : `"${bodyHash}-${deviceType}-${encoding}"`;
}

/** The tags of all encodings of a page. */
export function pageEtags(bodyHash: string, deviceType: string): string[] {
  return PAGE_ENCODINGS.map((encoding) => pageEtag(bodyHash, deviceType, encoding));
}
