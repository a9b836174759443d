import { describe, expect, it } from 'vitest';
import { ADDRESS_MARK, maskAddresses } from '../../../../src/bot/identity/address-mask.ts';

describe('maskAddresses', () => {
  it.each([
    ['A/1 (+http://a.test/bot.html)', `A/1 (+${ADDRESS_MARK})`],
    ['A/1 (HTTPS://a.test/bot; b)', `A/1 (${ADDRESS_MARK}; b)`],
    ['A www.a.test/bot b', `A ${ADDRESS_MARK} b`],
    ['A (similar.com/bot)', `A (${ADDRESS_MARK})`],
    ['A/1; +a.b+c_d@mail.a.test)', `A/1; ${ADDRESS_MARK})`],
    ['A a@b.test, c@d.test', `A ${ADDRESS_MARK}, ${ADDRESS_MARK}`],
    ['A mailto:a@b.test', `A ${ADDRESS_MARK}`],
  ])('replaces the addresses of %s', (text, masked) => {
    expect(maskAddresses(text)).toBe(masked);
  });

  it.each(['', 'Mail.RU_Bot/2.0', 'Shop.com/2.0', 'a @ b', '@', '@@@', 'Chrome/120.0.0.0 Safari/537.36'])(
    'leaves %j as it is',
    (text) => {
      expect(maskAddresses(text)).toBe(text);
    },
  );
});
