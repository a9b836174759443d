/**
 * 32-bit hash of a text, the same on every node and version: FNV-1a over UTF-16 units with a final mix, since FNV alone
 * leaves neighbouring texts close together. Not for secrets.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

/** Spreads a 32-bit value over all 32 bits (the finalizer of MurmurHash3). */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The text's place between 0 (included) and 1 (excluded): the same at every call. */
export function fractionOf(text: string): number {
  return hashText(text) / 0x1_0000_0000;
}
