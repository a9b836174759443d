import { runInNewContext } from 'node:vm';
import type { BrowserContext, Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import type { BrowserPool } from '../../../src/worker/browser-pool.ts';
import { checkSelectors } from '../../../src/worker/check-selectors.ts';
import { parseSelectorRules } from '../../../src/worker/page-rules.ts';

const rig = (canLease = true) => {
  const released: boolean[] = [];
  const lines: string[] = [];
  const document = {
    querySelector(selector: string) {
      if (selector.endsWith('[')) throw new SyntaxError('not a valid selector');
      return null;
    },
  };
  const evaluate = (script: unknown): Promise<unknown> =>
    Promise.resolve(runInNewContext(String(script), { document }) as unknown);
  const page = { evaluate } as Partial<Page>;
  const context = { newPage: async () => page as Page } as Partial<BrowserContext>;
  const pool: BrowserPool = {
    async lease() {
      if (!canLease) throw new Error('no browser');
      return {
        context: context as BrowserContext,
        isBrowserLost: () => false,
        release: async (suspect) => void released.push(suspect),
      };
    },
    warm: async () => undefined,
    groups: () => [],
    close: async () => undefined,
  };
  const check = (items: string[]) =>
    checkSelectors(parseSelectorRules(items), pool, (level, message) => lines.push(`${level} ${message}`));
  return { check, released, lines };
};

describe('the check of required selectors', () => {
  it('names those that the browser does not understand, and gives the browser back', async () => {
    const { check, released } = rig();
    await expect(check(['/p h1', '/q h1['])).rejects.toThrow('requireSelectors: "h1[" is no CSS selector');
    await expect(check(['/p h1', '/q main > p'])).resolves.toBeUndefined();
    expect(released).toEqual([false, false]);
  });

  it('starts no browser when there are none, and goes on when no browser can be had', async () => {
    const { check, lines } = rig(false);
    await check([]);
    expect(lines).toEqual([]);
    await check(['/p h1[']);
    expect(lines).toEqual(['warn requireSelectors cannot be checked']);
  });
});
