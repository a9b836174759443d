import { describe, expect, it } from 'vitest';
import { isBlank } from '../../../src/queue/blank-page.ts';

describe('a blank page', () => {
  it.each([
    '',
    '<html><head><title>Shop</title></head><body></body></html>',
    '<body><div id="app"></div><script>start("text")</script><!-- text --></body>',
    '<body>&nbsp; <noscript>Please enable scripts</noscript></body>',
  ])('is one that shows nothing: %s', (html) => expect(isBlank(Buffer.from(html))).toBe(true));

  it.each([
    '<h1>Shoe</h1>',
    '<body><img src=/a.png></body>',
    '<svg><path/></svg>',
    'x',
    '<head><title>Shop</title><body>Shoe',
    '<header>Shoe</header>',
  ])('is none: %s', (html) => expect(isBlank(Buffer.from(html))).toBe(false));

  it.each(['<!-- ', '<script>', '<', '<head>', '<noscript '])('is told in line with its length: %s', (piece) => {
    const html = Buffer.from(piece.repeat(Math.floor(65_536 / piece.length)));
    const start = performance.now();
    isBlank(html);
    expect(performance.now() - start).toBeLessThan(100);
  });
});
