import { describe, expect, it } from 'vitest';
import { namedDevice, resolveDevice } from '../../../src/url/device.ts';

const DEVICES = ['desktop', 'mobile'];
const SMARTPHONE_BOT =
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const DESKTOP_BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile/15E148';
const IPAD = 'Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 Version/12.1 Mobile/15E148';
const ANDROID_TABLET = 'Mozilla/5.0 (Linux; Android 13; SM-X900) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36';

describe('resolveDevice', () => {
  it('takes the header before the path segment before the user agent', () => {
    expect(resolveDevice({ header: 'desktop', pathSegment: 'mobile', userAgent: IPHONE }, DEVICES)).toBe('desktop');
    expect(resolveDevice({ pathSegment: 'desktop', userAgent: IPHONE }, DEVICES)).toBe('desktop');
    expect(resolveDevice({ userAgent: IPHONE }, DEVICES)).toBe('mobile');
  });

  it('reads names in any case and answers them as configured', () => {
    expect(resolveDevice({ header: ' MOBILE ' }, DEVICES)).toBe('mobile');
    expect(resolveDevice({ pathSegment: 'phone' }, ['Desktop', 'Phone'])).toBe('Phone');
  });

  it('HTTP-13: an unknown value falls back to the next hint, and at last to the first device', () => {
    expect(resolveDevice({ header: 'x|desktop', userAgent: SMARTPHONE_BOT }, DEVICES)).toBe('mobile');
    expect(resolveDevice({ header: 'watch', pathSegment: 'catalog' }, DEVICES)).toBe('desktop');
    expect(resolveDevice({ header: '' }, DEVICES)).toBe('desktop');
  });

  it('a smartphone crawler gets the mobile page, its desktop sibling the first device', () => {
    expect(resolveDevice({ userAgent: SMARTPHONE_BOT }, DEVICES)).toBe('mobile');
    expect(resolveDevice({ userAgent: DESKTOP_BOT }, DEVICES)).toBe('desktop');
  });

  it('a tablet gets the tablet page where there is one, else the first device', () => {
    for (const userAgent of [IPAD, ANDROID_TABLET]) {
      expect(resolveDevice({ userAgent }, DEVICES)).toBe('desktop');
      expect(resolveDevice({ userAgent }, [...DEVICES, 'tablet'])).toBe('tablet');
    }
  });

  it('a smartphone gets the first device where no mobile one is configured', () => {
    expect(resolveDevice({ userAgent: IPHONE }, ['desktop'])).toBe('desktop');
  });

  it('looks for whole words only', () => {
    expect(resolveDevice({ userAgent: 'AutoMobileReader/1.0' }, DEVICES)).toBe('desktop');
  });

  it('UA-06: no, an empty or a 20 kB user agent gets the first device', () => {
    expect(resolveDevice({}, DEVICES)).toBe('desktop');
    expect(resolveDevice({ userAgent: '' }, DEVICES)).toBe('desktop');
    expect(resolveDevice({ userAgent: `${'x '.repeat(10_000)}Mobile` }, DEVICES)).toBe('desktop');
  });

  it('answers desktop when no device is configured', () => {
    expect(resolveDevice({ userAgent: IPHONE }, [])).toBe('desktop');
  });
});

describe('namedDevice', () => {
  it('tells a path segment that names a device from one that does not', () => {
    expect(namedDevice('Mobile', DEVICES)).toBe('mobile');
    expect(namedDevice('product', DEVICES)).toBeUndefined();
    expect(namedDevice(undefined, DEVICES)).toBeUndefined();
  });
});
