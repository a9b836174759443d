import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../src/config/resolve.ts';
import type { Config, ConfigSource } from '../../../src/config/schema.ts';
import type { PageWrite, PrerenderedPage } from '../../../src/page/page.ts';
import { createPages, type Pages } from '../../../src/page/pages.ts';
import { recordingLogger, type RecordingLogger } from '../fakes/logger.ts';
import { MemoryTable } from '../fakes/memory-table.ts';
import { TurnedClock } from '../fakes/turned-clock.ts';

const DAY = 86_400_000;
const URL = 'https://shop.test/a';
const KEY = `${URL}|desktop`;

let clock: TurnedClock;
let table: MemoryTable<PrerenderedPage>;
let logger: RecordingLogger;
let pages: Pages;
let readBlob: (blob: Blob) => Promise<Buffer>;
let reads: number;
let setConfig: (page: Partial<Config['page']>) => void;

beforeEach(() => {
  clock = new TurnedClock();
  table = new MemoryTable<PrerenderedPage>('cacheKey');
  logger = recordingLogger();
  reads = 0;
  readBlob = async (blob) => Buffer.from(await blob.arrayBuffer());
  let current = resolveConfig([]).config;
  let listener: Parameters<ConfigSource['onChange']>[0] = () => undefined;
  const config: ConfigSource = {
    current: () => current,
    onChange: (added) => {
      listener = added;
      return () => undefined;
    },
  };
  setConfig = (page) => {
    const previous = current;
    current = { ...current, page: { ...current.page, ...page } };
    listener(current, previous);
  };
  const blobs = {
    create: (content: Buffer) => new Blob([new Uint8Array(content)]),
    read: (blob: Blob) => {
      reads++;
      return readBlob(blob);
    },
  };
  pages = createPages({ table, blobs, clock, config, logger });
});

const write = (over: Partial<PageWrite> = {}): PageWrite => ({
  url: URL,
  deviceType: 'desktop',
  statusCode: 200,
  headers: { 'content-type': 'text/html', 'set-cookie': 's=1' },
  html: Buffer.from('<h1>page</h1>'),
  fetchedAt: clock.now() - 5,
  expiresAt: clock.now() + DAY,
  isIndexable: true,
  canonical: null,
  ...over,
});

const stored = (key = KEY): PrerenderedPage => {
  const page = pages.find(key)?.value;
  if (page === undefined) throw new Error(`no page ${key}`);
  return page;
};

describe('storing a page', () => {
  it('keeps the gzip bytes, the hash, the length and the allowed headers', async () => {
    await pages.store(write());
    const page = stored();
    expect(gunzipSync(Buffer.from(await page.content.arrayBuffer())).toString()).toBe('<h1>page</h1>');
    expect(page).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'text/html' },
      bodyBytes: 13,
      failures: 0,
      expiredBy: null,
      lastCached: clock.now(),
      lastModified: clock.now(),
    });
  });

  it("keeps the worker's own gzip, unless it is not whole", async () => {
    const html = Buffer.from(`<h1>${'page '.repeat(100)}</h1>`);
    const gzipped = gzipSync(html, { level: 1 });
    await pages.store(write({ html, gzipped }));
    expect(Buffer.from(await stored().content.arrayBuffer())).toEqual(gzipped);
    await pages.store(write({ html, gzipped: gzipped.subarray(0, -2) }));
    expect(gunzipSync(Buffer.from(await stored().content.arrayBuffer()))).toEqual(html);
  });

  it('keeps lastModified while the body is the same, and moves it with the body', async () => {
    await pages.store(write());
    const first = stored();
    await clock.turn(1_000);
    await pages.store(write());
    expect(stored()).toMatchObject({
      lastModified: first.lastModified,
      lastCached: clock.now(),
      bodyHash: first.bodyHash,
    });
    await pages.store(write({ html: Buffer.from('<h1>other</h1>') }));
    expect(stored().lastModified).toBe(clock.now());
    expect(stored().bodyHash).not.toBe(first.bodyHash);
  });

  it('refuses a body above page.maxBodyBytes', async () => {
    setConfig({ maxBodyBytes: 1_024 });
    await expect(pages.store(write({ html: Buffer.alloc(1_025) }))).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    expect(table.rows()).toEqual([]);
  });

  it('forgets failures and a forced expiry', async () => {
    await pages.store(write());
    await pages.recordFailure(URL, 'desktop');
    await pages.expire(URL, 'probe');
    expect(stored()).toMatchObject({ failures: 1, expiresAt: 0, expiredBy: 'probe' });
    await pages.store(write());
    expect(stored()).toMatchObject({ failures: 0, expiredBy: null, expiresAt: clock.now() + DAY });
  });
});

describe('HTTP-17: failed renders', () => {
  it('keep the page until both page.maxFailures and page.staleIfErrorTtl are exceeded', async () => {
    setConfig({ maxFailures: 3, staleIfErrorTtl: DAY });
    await pages.store(write());
    const outcomes: string[] = [];
    for (let i = 0; i < 4; i++) outcomes.push(await pages.recordFailure(URL, 'desktop'));
    expect(outcomes).toEqual(['kept', 'kept', 'kept', 'kept']);
    await clock.turn(2 * DAY);
    expect(await pages.recordFailure(URL, 'desktop')).toBe('evicted');
    expect(await pages.recordFailure(URL, 'desktop')).toBe('none');
    expect(table.rows()).toEqual([]);
  });
});

describe("a URL's pages", () => {
  beforeEach(async () => {
    for (const deviceType of ['desktop', 'mobile', 'tv-of-old']) await pages.store(write({ deviceType }));
    await pages.store(write({ url: `${URL}b` }));
  });

  it('expire together, whatever their device, and no other page does', async () => {
    await pages.expire(URL, 'departure');
    const expired = table.rows().filter(({ expiresAt }) => expiresAt === 0);
    expect(expired.map(({ cacheKey }) => cacheKey).sort()).toEqual([KEY, `${URL}|mobile`, `${URL}|tv-of-old`]);
  });

  it('are removed together and counted', async () => {
    expect(await pages.remove(URL)).toBe(3);
    expect(table.rows().map(({ cacheKey }) => cacheKey)).toEqual([`${URL}b|desktop`]);
    expect(await pages.remove(URL)).toBe(0);
  });
});

describe('reading a body', () => {
  it('reads the blob once for all encodings and all who ask at once', async () => {
    await pages.store(write());
    const page = stored();
    expect(pages.bodies.peek(page, 'gzip')).toBeUndefined();
    const bodies = await Promise.all([pages.bodies.read(page, 'gzip'), pages.bodies.read(page, 'gzip')]);
    expect(bodies[0]).toBe(bodies[1]);
    const plain = await pages.bodies.read(page, 'identity');
    expect(plain).toMatchObject({ encoding: 'identity', bytes: Buffer.from('<h1>page</h1>') });
    expect(reads).toBe(1);
    expect(pages.bodies.peek(page, 'identity')).toBe(plain);
  });

  it('never gives the body of an earlier row', async () => {
    await pages.store(write());
    await pages.bodies.read(stored(), 'identity');
    await pages.store(write({ html: Buffer.from('new') }));
    expect(pages.bodies.peek(stored(), 'identity')).toBeUndefined();
    expect(await pages.bodies.read(stored(), 'identity')).toMatchObject({ bytes: Buffer.from('new') });
  });

  it('keeps within page.memoryBytes, and keeps nothing at 0', async () => {
    setConfig({ memoryBytes: 20_000 });
    for (let i = 0; i < 30; i++) {
      await pages.store(write({ url: `${URL}${i}` }));
      await pages.bodies.read(stored(`${URL}${i}|desktop`), 'gzip');
    }
    const held = (): number =>
      Array.from({ length: 30 }, (_, i) => pages.bodies.peek(stored(`${URL}${i}|desktop`), 'gzip')).filter(Boolean)
        .length;
    expect(held()).toBeGreaterThan(3);
    expect(held()).toBeLessThan(10);
    setConfig({ memoryBytes: 0 });
    expect(held()).toBe(0);
    expect(await pages.bodies.read(stored(`${URL}1|desktop`), 'gzip')).toMatchObject({ encoding: 'gzip' });
    expect(held()).toBe(0);
  });

  it('is blob-missing for a lost or damaged blob, logged, and the row stays', async () => {
    await pages.store(write());
    readBlob = () => Promise.reject(new Error('ENOENT'));
    expect(await pages.bodies.read(stored(), 'gzip')).toBe('blob-missing');
    readBlob = async () => Buffer.from('half a page');
    expect(await pages.bodies.read(stored(), 'gzip')).toBe('blob-missing');
    expect(logger.lines.join('\n')).toMatch(/ENOENT[^]*not the whole body/);
    expect(table.rows().length).toBe(1);
  });

  it('is blob-timeout after page.blobReadBudget; what comes later is kept, and a lost read is started again', async () => {
    await pages.store(write());
    let finish: (bytes: Buffer) => void = () => undefined;
    readBlob = () => new Promise((resolve) => (finish = resolve));
    const late = pages.bodies.read(stored(), 'gzip');
    await clock.turn(500);
    expect(await late).toBe('blob-timeout');
    const again = pages.bodies.read(stored(), 'gzip');
    finish(Buffer.from(await stored().content.arrayBuffer()));
    expect(await again).toMatchObject({ encoding: 'gzip' });
    expect(reads).toBe(1);
    setConfig({ memoryBytes: 0 });
    void pages.bodies.read(stored(), 'gzip');
    await clock.turn(20_000);
    void pages.bodies.read(stored(), 'gzip');
    expect(reads).toBe(3);
  });
});
