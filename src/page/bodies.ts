import { LRUCache } from 'lru-cache';
import type { ConfigSource } from '../config/schema.ts';
import { describeError } from '../errors.ts';
import type { Blobs } from '../harper/blobs.ts';
import type { Clock } from '../harper/clock.ts';
import type { Logger } from '../harper/logger.ts';
import { deriveEncoding, isWholeGzip } from './encodings.ts';
import type { PageEncoding } from './etag.ts';
import type { PrerenderedPage } from './page.ts';

/** Body of a page in one encoding. The object is the same for as long as it stays in memory: a key for what is derived from it. */
export interface PageBody {
  readonly encoding: PageEncoding;
  readonly bytes: Buffer;
}

/** The body, or why there is none: its blob is lost or damaged, or was not read within `page.blobReadBudget`. */
export type BodyRead = PageBody | 'blob-missing' | 'blob-timeout';

/** Reads bodies of stored pages, through a memory that is bounded by `page.memoryBytes` per thread. */
export interface PageBodies {
  /** The body when it is in memory. Right on every thread: it is found by the hash in the row, which the caller just read. */
  peek(page: PrerenderedPage, encoding: PageEncoding): PageBody | undefined;
  /** The body from memory or from the blob, within `page.blobReadBudget`. Never rejects; never touches the stored page. */
  read(page: PrerenderedPage, encoding: PageEncoding): Promise<BodyRead>;
}

export interface BodiesDeps {
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly config: ConfigSource;
  readonly logger: Logger;
}

/** All encodings of one body that are in memory. */
interface Held {
  readonly hash: string;
  readonly variants: Map<PageEncoding, PageBody>;
}

interface Pending {
  readonly hash: string;
  readonly since: number;
  readonly body: Promise<PageBody | 'blob-missing'>;
}

/** What an entry costs beside its bytes: key, map, headers derived from it. */
const ENTRY_BYTES = 2_048;
/** A read that has taken this many budgets is taken for lost: the next request starts another. */
const LOST_AFTER_BUDGETS = 20;

export function createPageBodies(deps: BodiesDeps): PageBodies {
  const { clock, config } = deps;
  let memory = createMemory(config.current().page.memoryBytes);
  const pending = new Map<string, Pending>();
  config.onChange((next, previous) => {
    if (next.page.memoryBytes !== previous.page.memoryBytes) memory = createMemory(next.page.memoryBytes);
  });

  const held = (page: PrerenderedPage): Held | undefined => {
    const found = memory?.get(page.cacheKey);
    return found?.hash === page.bodyHash ? found : undefined;
  };

  const peek: PageBodies['peek'] = (page, encoding) => held(page)?.variants.get(encoding);

  const keep = (page: PrerenderedPage, ...bodies: PageBody[]): void => {
    const variants = new Map(held(page)?.variants);
    for (const body of bodies) variants.set(body.encoding, body);
    memory?.set(page.cacheKey, { hash: page.bodyHash, variants });
  };

  const load = async (page: PrerenderedPage, encoding: PageEncoding): Promise<PageBody | 'blob-missing'> => {
    try {
      const stored = peek(page, 'gzip') ?? (await readStored(deps.blobs, page));
      const bytes = await deriveEncoding(stored.bytes, encoding, page.bodyBytes);
      const body = encoding === 'gzip' ? stored : { encoding, bytes };
      keep(page, stored, body);
      return body;
    } catch (error) {
      deps.logger.warn(`The body of ${page.cacheKey} cannot be read: ${describeError(error)}`);
      return 'blob-missing';
    }
  };

  const loadOnce = (page: PrerenderedPage, encoding: PageEncoding, budget: number): Pending['body'] => {
    const key = `${encoding}|${page.cacheKey}`;
    const running = pending.get(key);
    if (running?.hash === page.bodyHash && clock.now() - running.since < budget * LOST_AFTER_BUDGETS) {
      return running.body;
    }
    const started: Pending = { hash: page.bodyHash, since: clock.now(), body: load(page, encoding) };
    pending.set(key, started);
    void started.body.then(() => {
      if (pending.get(key) === started) pending.delete(key);
    });
    return started.body;
  };

  return {
    peek,
    read(page, encoding) {
      const ready = peek(page, encoding);
      if (ready !== undefined) return Promise.resolve(ready);
      const budget = config.current().page.blobReadBudget;
      return within(clock, budget, loadOnce(page, encoding, budget));
    },
  };
}

function createMemory(maxBytes: number): LRUCache<string, Held> | undefined {
  if (maxBytes === 0) return undefined;
  return new LRUCache<string, Held>({
    maxSize: maxBytes,
    sizeCalculation: ({ variants }) => {
      let size = ENTRY_BYTES;
      for (const { bytes } of variants.values()) size += bytes.length;
      return size;
    },
  });
}

async function readStored(blobs: Blobs, page: PrerenderedPage): Promise<PageBody> {
  const bytes = await blobs.read(page.content);
  if (!isWholeGzip(bytes, page.bodyBytes)) throw new Error('the stored bytes are not the whole body');
  return { encoding: 'gzip', bytes };
}

function within<T>(clock: Clock, limitMs: number, task: Promise<T>): Promise<T | 'blob-timeout'> {
  return new Promise((resolve) => {
    const timer = clock.after(limitMs, () => resolve('blob-timeout'));
    void task.then((result) => {
      timer.stop();
      resolve(result);
    });
  });
}
