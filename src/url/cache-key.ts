/** Bytes a primary key may have. The store holds somewhat more (LMDB: 1,978), which is kept free for its own key encoding. */
export const KEY_LIMIT_BYTES = 1_900;

const SEPARATOR = '|';

/**
 * The key of a cached page: `<url>|<deviceType>`. Not ambiguous, since a canonical URL has no raw `|`; `url` must be canonical
 * and `deviceType` a configured device.
 */
export function cacheKey(url: string, deviceType: string): string {
  return url + SEPARATOR + deviceType;
}

/** Takes a key apart; undefined when it is not one that `cacheKey` made. */
export function parseCacheKey(key: string): { url: string; deviceType: string } | undefined {
  const at = key.indexOf(SEPARATOR);
  if (at <= 0 || at === key.length - 1 || key.includes(SEPARATOR, at + 1)) return undefined;
  return { url: key.slice(0, at), deviceType: key.slice(at + 1) };
}

/** Whether the store takes the key; a page whose key is longer is proxied as `bypass`. */
export function isStorableKey(key: string): boolean {
  return key.length <= KEY_LIMIT_BYTES && Buffer.byteLength(key) <= KEY_LIMIT_BYTES;
}
