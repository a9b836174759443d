import { harperGlobals, type HarperStore } from './globals.ts';
import type { Clock } from './clock.ts';
import type { Locks, SharedBuffers } from './table.ts';

function coordinationStore(): HarperStore {
  const table = harperGlobals().databases['coordination']?.['SharedBuffer'];
  if (!table) throw new Error('The table coordination.SharedBuffer does not exist: schema.graphql has not been loaded');
  return table.primaryStore;
}

/** Locks over all threads of this node. `onFree` of Harper only notifies, so waiting is a loop with a pause. */
export function createLocks(clock: Clock): Locks {
  const store = coordinationStore();
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const waitForFree = (name: string, limitMs: number): Promise<void> | undefined => {
    let wake: (() => void) | undefined;
    const freed = new Promise<void>((resolve) => (wake = resolve));
    if (store.tryLock(name, () => wake?.())) return undefined;
    // Notifications can be missed when the holder's thread died, hence the upper bound.
    return Promise.race([freed, pause(Math.min(50, limitMs))]);
  };
  const acquire = async (name: string, limitMs: number): Promise<void> => {
    const deadline = clock.now() + limitMs;
    for (;;) {
      const wait = waitForFree(name, limitMs);
      if (!wait) return;
      if (clock.now() >= deadline) throw new Error(`The lock ${name} was not free within ${limitMs} ms`);
      await wait;
    }
  };
  return {
    tryLock: (name) => store.tryLock(name),
    unlock: (name) => store.unlock(name),
    async withLock(name, limitMs, task) {
      await acquire(name, limitMs);
      try {
        return await task();
      } finally {
        store.unlock(name);
      }
    },
  };
}

/** Buffers shared by all threads of this node; merge into them with `Atomics`, plain writes lose bits. */
export function createSharedBuffers(): SharedBuffers {
  const store = coordinationStore();
  return { open: (name, bytes) => store.getUserSharedBuffer(name, new ArrayBuffer(bytes)) };
}
