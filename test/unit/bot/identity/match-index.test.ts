import { describe, expect, it } from 'vitest';
import { createMatchFinder } from '../../../../src/bot/identity/match-index.ts';

const find = (matches: readonly string[], text: string): string | undefined =>
  createMatchFinder(matches.map((match) => ({ name: match, match })))(text.toLowerCase())?.name;

describe('createMatchFinder', () => {
  it.each([
    ['shopbot', true],
    ['shopbot/1.0', true],
    ['x; shopbot', true],
    ['my-shopbot-two', true],
    ['xshopbot', false],
    ['shopbot2', false],
    ['2shopbot', false],
    ['éshopbot', false],
    ['shop bot', false],
    ['', false],
  ])('finds shopbot at token boundaries only: %s', (text, found) => {
    expect(find(['ShopBot'], text)).toBe(found ? 'ShopBot' : undefined);
  });

  it('needs no boundary where the match itself ends in a sign', () => {
    expect(find(['bot/'], 'bot/1')).toBe('bot/');
    expect(find(['(bot'], 'x(bot)')).toBe('(bot');
    expect(find(['(bot'], 'x bot)')).toBeUndefined();
  });

  it('prefers the longest, then the first given', () => {
    expect(find(['bot', 'shop bot'], 'bot and shop bot')).toBe('shop bot');
    const entries = [
      { name: 'first', match: 'aaa' },
      { name: 'second', match: 'bbb' },
      { name: 'third', match: 'AAA' },
    ];
    expect(createMatchFinder(entries)('bbb aaa')?.name).toBe('first');
  });

  it('goes on behind a first word that leads nowhere', () => {
    expect(find(['shop bot two'], 'shop bot one shop bot two')).toBe('shop bot two');
  });
});
