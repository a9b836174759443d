import { describe, expect, it } from 'vitest';
import { redirectTarget } from '../../../src/worker/main-document.ts';

const hop = (url: string, status: number) => ({ url, status, location: null });

describe('where a chain of redirects leads', () => {
  it('permanent hops: to the end; a temporary one behind them is not followed', () => {
    expect(redirectTarget([hop('/a', 301), hop('/b', 308)], '/c')).toBe('/c');
    expect(redirectTarget([hop('/a', 301), hop('/b', 302), hop('/c', 301)], '/d')).toBe('/b');
  });
  it('a temporary first hop: to the end', () => {
    expect(redirectTarget([hop('/a', 302), hop('/b', 301)], '/c')).toBe('/c');
  });
});
