import { describe, expect, it } from 'vitest';
import { createGenerationCache } from '../../../../src/bot/identity/generation-cache.ts';

describe('createGenerationCache', () => {
  it('remembers what was stored', () => {
    const cache = createGenerationCache<number>(10);
    cache.set('a', 1);
    expect(cache.get('a')).toBe(1);
    expect(cache.get('b')).toBeUndefined();
  });

  it('never holds more than its limit', () => {
    const cache = createGenerationCache<number>(10);
    for (let index = 0; index < 1_000; index++) {
      cache.set(String(index), index);
      cache.get(String(index - 7));
      expect(cache.size).toBeLessThanOrEqual(10);
    }
    expect(cache.get('999')).toBe(999);
  });

  it('keeps what is asked for and forgets what is not', () => {
    const cache = createGenerationCache<number>(10);
    cache.set('wanted', 1);
    cache.set('forgotten', 2);
    for (let index = 0; index < 50; index++) {
      cache.set(String(index), index);
      expect(cache.get('wanted')).toBe(1);
    }
    expect(cache.get('forgotten')).toBeUndefined();
  });

  it('works at the smallest limits', () => {
    for (const limit of [0, 1, 2]) {
      const cache = createGenerationCache<number>(limit);
      for (const key of ['a', 'b', 'c']) cache.set(key, 1);
      expect(cache.get('c')).toBe(1);
      expect(cache.size).toBeLessThanOrEqual(2);
    }
  });
});
