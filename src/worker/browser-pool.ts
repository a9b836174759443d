import type { BrowserContext } from 'puppeteer-core';
import { describeError } from '../errors.ts';
import type { LaunchedBrowser } from './browser-launch.ts';
import type { Log } from './log.ts';
import { anonymousMemory, groupMembers, killHard } from './process-group.ts';

/** A browser context for one job. */
export interface Lease {
  context: BrowserContext;
  /** The browser itself is gone: the job may be tried again in another. */
  isBrowserLost(): boolean;
  /** Ends the context; never throws. `suspect`: the page hung or crashed, so its browser takes no more jobs from now on. */
  release(suspect: boolean): Promise<void>;
}

/** Browsers that come and go, a fresh context for each job. */
export interface BrowserPool {
  /** Resolves when a browser is up; throws when none can be started. */
  warm(): Promise<void>;
  lease(): Promise<Lease>;
  /** Process groups of all browsers that are not gone. */
  groups(): number[];
  /** Closes or kills all browsers; resolves when their processes are gone and all releases are done. */
  close(): Promise<void>;
}

/** What the pool needs. */
export interface BrowserPoolParts {
  launch: () => Promise<LaunchedBrowser>;
  /** Pages after which a browser is replaced. */
  recycleAfter: number;
  /** Ms that a browser has to close before its group is killed. */
  killGrace: number;
  /** Anonymous memory in bytes above which a renderer process is killed. */
  maxRendererBytes: number;
  log: Log;
}

interface Slot extends LaunchedBrowser {
  pages: number;
  active: number;
  retired: boolean;
  ending: Promise<void> | null;
}

const CONTEXT_TIMEOUT_MS = 5000;
const WATCH_MS = 500;

/** One browser takes the jobs until it is recycled or suspect; then it finishes what it has while the next one serves. */
export function createBrowserPool(parts: BrowserPoolParts): BrowserPool {
  const slots = new Set<Slot>();
  const releases = new Set<Promise<void>>();
  let current: Promise<Slot> | null = null;
  let closed = false;

  const end = (slot: Slot): Promise<void> => {
    slot.ending ??= terminate(slot, parts.killGrace).finally(() => slots.delete(slot));
    return slot.ending;
  };
  const retire = (slot: Slot): void => {
    slot.retired = true;
    if (slot.active === 0) void end(slot);
  };

  const start = async (): Promise<Slot> => {
    const launched = await parts.launch();
    const slot: Slot = { ...launched, pages: 0, active: 0, retired: false, ending: null };
    slots.add(slot);
    slot.browser.once('disconnected', () => {
      if (slot.ending === null) parts.log('warn', 'the browser is gone', { group: slot.groupId });
      slot.retired = true;
      void end(slot);
    });
    if (closed) await end(slot);
    return slot;
  };

  const serving = async (): Promise<Slot> => {
    if (closed) throw new Error('the browser pool is closed');
    const pending = (current ??= start());
    let slot: Slot;
    try {
      slot = await pending;
    } catch (error) {
      if (current === pending) current = null;
      throw error;
    }
    if (!slot.retired) return slot;
    if (current === pending) current = null;
    return serving();
  };

  const lease = async (): Promise<Lease> => {
    const slot = await serving();
    slot.active++;
    slot.pages++;
    if (slot.pages >= parts.recycleAfter) slot.retired = true;
    const leave = (): void => {
      slot.active--;
      if (slot.retired && slot.active === 0) void end(slot);
    };
    try {
      const context = await within(
        CONTEXT_TIMEOUT_MS,
        slot.browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } }),
      );
      return {
        context,
        isBrowserLost: () => !slot.browser.connected,
        release(suspect) {
          if (suspect) slot.retired = true;
          const release = within(suspect ? 1000 : CONTEXT_TIMEOUT_MS, context.close())
            .catch(() => void (slot.retired = true))
            .then(leave)
            .finally(() => releases.delete(release));
          releases.add(release);
          return release;
        },
      };
    } catch (error) {
      parts.log('warn', 'the browser does not answer and is killed', { error: describeError(error) });
      slot.retired = true;
      killHard(-slot.groupId);
      leave();
      throw error;
    }
  };

  const watch = setInterval(() => {
    for (const slot of slots) stopGreedyPages(slot, parts);
  }, WATCH_MS);
  watch.unref();

  return {
    warm: async () => void (await serving()),
    lease,
    groups: () => [...slots].map((slot) => slot.groupId),
    async close() {
      closed = true;
      clearInterval(watch);
      await current?.catch(() => undefined);
      for (const slot of slots) retire(slot);
      await Promise.all([...slots].map(end));
      await Promise.all(releases);
    },
  };
}

/** The heap limit of the engine does not count typed arrays and the like, so the process is watched as well. */
function stopGreedyPages(slot: Slot, parts: BrowserPoolParts): void {
  if (slot.active === 0) return;
  for (const { pid, isRenderer } of groupMembers(slot.groupId)) {
    if (!isRenderer) continue;
    const bytes = anonymousMemory(pid);
    if (bytes <= parts.maxRendererBytes) continue;
    parts.log('warn', 'a page uses too much memory and is stopped', { bytes, limit: parts.maxRendererBytes });
    killHard(pid);
  }
}

async function terminate(slot: Slot, grace: number): Promise<void> {
  await within(grace, slot.browser.close()).catch(() => undefined);
  // Also after a clean close: a hung renderer may have outlived the browser.
  killHard(-slot.groupId);
  const exited = slot.browser.process();
  if (exited && exited.exitCode === null && exited.signalCode === null)
    await within(5000, new Promise((resolve) => exited.once('exit', resolve))).catch(() => undefined);
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
