import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { createBotNamer, OTHER } from '../../../../src/bot/identity/get-bot-name.ts';

interface CrawlerPattern {
  readonly instances: readonly string[];
}

const require = createRequire(import.meta.url);
const { getBotName } = createBotNamer({ bots: [] });

describe('identification, measured', () => {
  it('names at least 95 % of the User-Agents of crawler-user-agents', () => {
    const crawlers = (require('crawler-user-agents') as CrawlerPattern[]).flatMap(({ instances }) => instances);
    const missed = crawlers.filter((userAgent) => getBotName(userAgent) === OTHER);
    const rate = 1 - missed.length / crawlers.length;
    console.log(
      [`named: ${crawlers.length - missed.length} of ${crawlers.length}; not named:`, ...missed].join('\n  '),
    );
    expect(crawlers.length).toBeGreaterThan(1_000);
    expect(rate).toBeGreaterThanOrEqual(0.95);
  });

  it('names none of 500 real browsers', () => {
    const browsers = require('../../../data/browser-user-agents.json') as string[];
    expect(new Set(browsers).size).toBe(500);
    expect(browsers.filter((userAgent) => getBotName(userAgent) !== OTHER)).toEqual([]);
  });
});
