import { describe, expect, it } from 'vitest';
import { cacheKey, isStorableKey, KEY_LIMIT_BYTES, parseCacheKey } from '../../../src/url/cache-key.ts';
import { canonicalizeUrl } from '../../../src/url/canonicalize-url.ts';
import { resolveDevice } from '../../../src/url/device.ts';

const DEVICES = ['desktop', 'mobile'];

function keyOf(url: string, header: string): string {
  const result = canonicalizeUrl(url, ['*']);
  if (!result.ok) throw new Error(result.reason);
  return cacheKey(result.url, resolveDevice({ header }, DEVICES));
}

describe('cacheKey', () => {
  it('HTTP-13: a | in the URL or in the device value joins no two requests', () => {
    expect(keyOf('https://shop.test/p/1', 'x|desktop')).toBe('https://shop.test/p/1|desktop');
    expect(keyOf('https://shop.test/p/1|x', 'desktop')).toBe('https://shop.test/p/1%7Cx|desktop');
  });

  it('parses back to its parts', () => {
    expect(parseCacheKey('https://shop.test/p?a=1|mobile')).toEqual({
      url: 'https://shop.test/p?a=1',
      deviceType: 'mobile',
    });
  });

  it.each(['', '|', 'https://shop.test/', '|desktop', 'https://shop.test/|', 'a|b|c'])('%j is no key', (key) => {
    expect(parseCacheKey(key)).toBeUndefined();
  });

  it('counts bytes, not characters, against the limit of the store', () => {
    expect(isStorableKey('a'.repeat(KEY_LIMIT_BYTES))).toBe(true);
    expect(isStorableKey('a'.repeat(KEY_LIMIT_BYTES + 1))).toBe(false);
    expect(isStorableKey('ü'.repeat(KEY_LIMIT_BYTES / 2))).toBe(true);
    expect(isStorableKey('ü'.repeat(KEY_LIMIT_BYTES / 2 + 1))).toBe(false);
  });
});
