import { PrerenderError, describeError } from '../errors.ts';
import type { BrowserPool } from './browser-pool.ts';
import type { Log } from './log.ts';
import type { SelectorRule } from './page-rules.ts';

/**
 * Asks a browser whether the required selectors are CSS: only it knows what it understands. Throws CONFIG_INVALID naming
 * those that are not. When no browser can be had now, that is logged and the worker goes on: such selectors count as missing.
 */
export async function checkSelectors(rules: readonly SelectorRule[], pool: BrowserPool, log: Log): Promise<void> {
  if (rules.length === 0) return;
  const selectors = rules.map((rule) => rule.selector);
  const invalid = await askBrowser(selectors, pool).catch((error: unknown) => {
    log('warn', 'requireSelectors cannot be checked', { error: describeError(error) });
    return [];
  });
  if (invalid.length > 0)
    throw new PrerenderError('CONFIG_INVALID', {
      reason: `requireSelectors: ${invalid.map((selector) => JSON.stringify(selector)).join(', ')} is no CSS selector; it must be one like \`main h1.name\``,
    });
}

async function askBrowser(selectors: readonly string[], pool: BrowserPool): Promise<string[]> {
  const lease = await pool.lease();
  let suspect = true;
  try {
    const page = await lease.context.newPage();
    const invalid = (await page.evaluate(invalidSelectorsScript(selectors))) as string[];
    suspect = false;
    return invalid;
  } finally {
    await lease.release(suspect);
  }
}

function invalidSelectorsScript(selectors: readonly string[]): string {
  return `${JSON.stringify(selectors)}.filter((selector) => {
    try { document.querySelector(selector); return false; } catch { return true; }
  })`;
}
