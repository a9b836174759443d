import { describe, expect, it } from 'vitest';
import { isOwnUserAgent } from '../../../../src/bot/identity/own-user-agent.ts';

const OWN = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126 Safari/537.36 HarperPrerender/1.0';

describe('isOwnUserAgent', () => {
  it.each([
    OWN,
    `${OWN} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    `${OWN} Googlebot`,
    'HarperPrerender',
    'harperprerender/2.7.1-beta',
    'Mozilla/5.0 (compatible; HarperPrerender/1.0)',
    `${'x'.repeat(20_000)} HarperPrerender/1.0`,
  ])('UA-05: the own worker is recognised, whatever was added to its User-Agent (%#)', (userAgent) => {
    expect(isOwnUserAgent(userAgent, 'HarperPrerender')).toBe(true);
    expect(isOwnUserAgent(userAgent, 'HarperPrerender/1.0')).toBe(true);
  });

  it.each([
    undefined,
    '',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'NotHarperPrerender/1.0',
    'HarperPrerenderer/1.0',
    'Mozilla/5.0 (compatible; X/1.0; +https://x.test/HarperPrerender/)',
  ])('UA-05: another User-Agent is not taken for the own worker (%#)', (userAgent) => {
    expect(isOwnUserAgent(userAgent, 'HarperPrerender')).toBe(false);
  });

  it('finds a second place when the first is inside another word', () => {
    expect(isOwnUserAgent('xHarperPrerender HarperPrerender/1.0', 'HarperPrerender')).toBe(true);
  });

  it('takes no User-Agent for its own when the product is empty', () => {
    expect(isOwnUserAgent('anything', '')).toBe(false);
    expect(isOwnUserAgent('anything', '/1.0')).toBe(false);
  });
});
