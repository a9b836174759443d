import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRAWLERS } from '../../../../src/bot/identity/crawler-registry.ts';
import { createBotNamer, OTHER } from '../../../../src/bot/identity/get-bot-name.ts';

const ANDROID_CUBOT =
  'Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3729.157 Mobile Safari/537.36';
const INTERNET_EXPLORER = 'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; SLCC2; .NET CLR 3.5.30729)';

const { getBotName } = createBotNamer({ bots: [] });

describe('field cases', () => {
  it('UA-01: a short token inside another word of a device name is no crawler', () => {
    const namer = createBotNamer({
      bots: [
        { name: 'LCC', match: 'lcc' },
        { name: 'AnyBot', match: 'bot' },
      ],
    });
    expect(namer.getBotName(ANDROID_CUBOT)).toBe(OTHER);
    expect(namer.getBotName(INTERNET_EXPLORER)).toBe(OTHER);
    expect(getBotName(ANDROID_CUBOT)).toBe(OTHER);
    expect(getBotName(INTERNET_EXPLORER)).toBe(OTHER);
    expect(namer.getBotName('lcc/1.0')).toBe('LCC');
    expect(namer.getBotName('Mozilla/5.0 (compatible; some bot/1.0)')).toBe('AnyBot');
  });

  it.each([
    ['ChatGPT-User', 'ChatGPT-User'],
    ['Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)', 'Google-InspectionTool'],
    ['claude-web/1.0', 'claude-web'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
      'Claude-User',
    ],
  ])('UA-03: a crawler without bot, crawl or spider in it has its own name: %s', (userAgent, name) => {
    expect(getBotName(userAgent)).toBe(name);
  });

  it('UA-06: a missing, empty or 20 kB User-Agent is other', () => {
    for (const userAgent of [undefined, '', ' ', '\t', 'x'.repeat(20_000), 'Foo/1.0 '.repeat(2_500)]) {
      expect(getBotName(userAgent)).toBe(OTHER);
    }
  });

  it('UA-06: of a 20 kB User-Agent only the beginning is read', () => {
    const padding = 'x'.repeat(20_000);
    expect(getBotName(`Googlebot/2.1 ${padding}`)).toBe('Googlebot');
    expect(getBotName(`${padding} Googlebot/2.1`)).toBe(OTHER);
  });
});

describe('registry and configured entries', () => {
  it.each(CRAWLERS.filter(({ weak }) => weak !== true))('names $match from its own token', ({ name, match }) => {
    expect(getBotName(`Mozilla/5.0 (compatible; ${match}/1.0; +https://crawler.test/about)`)).toBe(name);
    expect(getBotName(match.toUpperCase())).toBe(name);
  });

  it('has at least 90 distinct crawlers, of every category', () => {
    expect(new Set(CRAWLERS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(90);
    for (const category of ['search', 'ai', 'social', 'seo', 'other']) {
      expect(CRAWLERS.filter((crawler) => crawler.category === category).length).toBeGreaterThanOrEqual(10);
    }
  });

  it('has no match twice', () => {
    const matches = CRAWLERS.map(({ match }) => match.toLowerCase());
    expect(matches.filter((match, index) => matches.indexOf(match) !== index)).toEqual([]);
  });

  it('prefers the longest match, wherever it stands', () => {
    expect(getBotName('Googlebot-Image/1.0')).toBe('Googlebot-Image');
    expect(getBotName('Mozilla/5.0 (compatible; Googlebot/2.1) Google-InspectionTool/1.0')).toBe(
      'Google-InspectionTool',
    );
  });

  it('gives a family name to an unlisted member', () => {
    expect(getBotName('Googlebot-Richsnippets')).toBe('Googlebot');
  });

  it('lets a configured entry win over the registry on equal length', () => {
    const namer = createBotNamer({ bots: [{ name: 'Our Google', match: 'googleBOT' }] });
    expect(namer.getBotName('Googlebot/2.1')).toBe('Our Google');
    expect(namer.getBotName('Googlebot-Image/1.0')).toBe('Googlebot-Image');
  });

  it('finds a configured match of several words and signs', () => {
    const namer = createBotNamer({ bots: [{ name: 'Shop Monitor', match: '(our monitor; v2' }] });
    expect(namer.getBotName('Mozilla/5.0 (Our Monitor; V2) Chrome/120')).toBe('Shop Monitor');
    expect(namer.getBotName('Mozilla/5.0 (Our Monitor; V21) Chrome/120')).toBe(OTHER);
  });

  it('ignores a configured match without a letter or digit', () => {
    const namer = createBotNamer({
      bots: [
        { name: 'Empty', match: '' },
        { name: 'Signs', match: '();' },
      ],
    });
    expect(namer.getBotName(INTERNET_EXPLORER)).toBe(OTHER);
    expect(namer.getBotName('();')).toBe(OTHER);
  });

  it('does not take the address of a crawler for the crawler, unless the entry is an address', () => {
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0) Chrome/99 Safari/537.36 (+https://msnbot.test/msnbot)';
    expect(getBotName(userAgent)).toBe(OTHER);
    expect(getBotName('librabot/2.0 (+http://search.msn.com/msnbot.htm)')).toBe('librabot');
    expect(createBotNamer({ bots: [{ name: 'By URL', match: 'msnbot.test' }] }).getBotName(userAgent)).toBe('By URL');
  });

  it('names the caller before the tool that it drives', () => {
    expect(
      getBotName('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0.0.0 Safari/537.36'),
    ).toBe('HeadlessChrome');
    expect(getBotName('Mozilla/5.0 (compatible; ShopBot/1.0) HeadlessChrome/120.0.0.0 Safari/537.36')).toBe('ShopBot');
    expect(getBotName('Mozilla/5.0 (compatible; heritrix/3.2.0 +http://crawler.test)')).toBe('heritrix');
  });

  it('knows the registry and configured names, and no derived ones', () => {
    const { knownNames, getBotName: name } = createBotNamer({ bots: [{ name: 'Shop Monitor', match: 'our-monitor' }] });
    expect(name('NeverHeardOfBot/1.0')).toBe('NeverHeardOfBot');
    expect([knownNames.has('Shop Monitor'), knownNames.has('Googlebot'), knownNames.has('NeverHeardOfBot')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('answers', () => {
  const pieces = fc.constantFrom(
    ...['Mozilla/5.0 ', '(compatible; ', 'bot', 'crawler ', ') ', '; ', '+http://x.test/bot', 'a@b.test', 'Chrome/1 '],
    ...['MSIE 7.0', 'Android ', '@', '://', 'www.', '/', '\u007f', 'İ', 'ß', '💥', '\u0000', '-1.2'],
  );
  const userAgents = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 12 })), { maxLength: 60 }).map((parts) => parts.join('')),
  );

  it('never throws; the name is known or bounded and printable; the same string has the same name', () => {
    const { getBotName: first, knownNames } = createBotNamer({ bots: [], cacheSize: 16 });
    const { getBotName: second } = createBotNamer({ bots: [], cacheSize: 16 });
    fc.assert(
      fc.property(userAgents, (userAgent) => {
        const name = first(userAgent);
        expect(knownNames.has(name) || /^[A-Za-z0-9 ._-]{2,40}$/.test(name)).toBe(true);
        expect(first(userAgent)).toBe(name);
        expect(second(userAgent)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stay right when more strings are asked for than are remembered', () => {
    const { getBotName: name } = createBotNamer({ bots: [], cacheSize: 4 });
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 20; index++) {
        const letter = String.fromCharCode(97 + index);
        expect(name(`Shop${letter}Bot/1.${round}`)).toBe(`Shop${letter}Bot`);
      }
    }
  });

  it('come within a few milliseconds for the worst junk that is read', () => {
    const junk = ['bot.', 'a-', 'a@', '-1', 'compatible; ', '(+http://', 'cubot ', 'Mozilla/5.0 (', 'a.com/', '. '];
    for (const piece of junk) {
      const userAgent = piece.repeat(1_000).slice(0, 1_000);
      const start = performance.now();
      for (let index = 0; index < 50; index++) getBotName(userAgent);
      expect((performance.now() - start) / 50).toBeLessThan(5);
    }
  });
});
