import type { Browser, BrowserContext } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { createBrowserPool, type BrowserPool } from '../../../src/worker/browser-pool.ts';

/** A group that never exists: process ids end far below. */
const NO_GROUP = 2 ** 30;

interface Rig {
  pool: BrowserPool;
  /** Let the contexts that were asked to close be closed. */
  closing: (() => void)[];
}

const rig = (): Rig => {
  const closing: (() => void)[] = [];
  let launches = 0;
  const context: Partial<BrowserContext> = { close: () => new Promise<void>((resolve) => closing.push(resolve)) };
  const browser: Partial<Browser> = {
    connected: true,
    once: () => browser as Browser,
    createBrowserContext: async () => context as BrowserContext,
    // The contexts end a little later than the browser says.
    close: async () => void setTimeout(() => closing.forEach((resolve) => resolve()), 20),
    process: () => null,
  };
  const pool = createBrowserPool({
    launch: async () => ({ browser: browser as Browser, groupId: NO_GROUP + launches++ }),
    recycleAfter: 100,
    killGrace: 50,
    maxRendererBytes: 1 << 30,
    log: () => undefined,
  });
  return { pool, closing };
};

describe('the browser pool', () => {
  it('one browser serves, but a suspect one takes no more jobs from the moment it is released', async () => {
    const { pool } = rig();
    const suspect = await pool.lease();
    await pool.lease();
    expect(pool.groups()).toEqual([NO_GROUP]);
    void suspect.release(true);
    await pool.lease();
    expect(pool.groups()).toEqual([NO_GROUP, NO_GROUP + 1]);
    await pool.close();
    expect(pool.groups()).toEqual([]);
  });

  it('its close waits for contexts that are still being closed', async () => {
    const { pool, closing } = rig();
    const lease = await pool.lease();
    let done = false;
    void lease.release(false).then(() => (done = true));
    expect(closing).toHaveLength(1);
    await pool.close();
    expect(done).toBe(true);
  });
});
