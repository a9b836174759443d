import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrerenderError } from '../../../src/errors.ts';
import { createResultReader } from '../../../src/protocol/check-result.ts';

const reader = createResultReader();
const LIMITS = { htmlBytes: 100_000 };
const GOOD = { id: '1.0.0', url: 'https://shop.test/a', statusCode: 200, outcome: 'rendered', headers: {} };

function read(metadata: unknown, html: Buffer = Buffer.alloc(0), size?: string | null) {
  const json = Buffer.from(typeof metadata === 'string' ? metadata : JSON.stringify(metadata));
  return reader.read(Buffer.concat([json, html]), size === undefined ? String(json.length) : size, LIMITS);
}

function recorded(name: string): { body: Buffer; size: string } {
  const file = (ending: string): Buffer =>
    readFileSync(new URL(`../../data/worker-1.18/${name}.${ending}`, import.meta.url));
  const { request } = JSON.parse(file('json').toString()) as { request: { headers: Record<string, string> } };
  return { body: file('bin'), size: request.headers['x-metadata-size'] ?? '' };
}

describe('a job result', () => {
  it.each([
    ['rendered-gzip', 'rendered', 'Trail shoe'],
    ['rendered-br', 'rendered', 'Trail shoe'],
    ['redirected', 'redirected', ''],
    ['non-indexable', 'non-indexable', ''],
    ['http-error', 'error', ''],
    ['timed-out', 'error', ''],
  ])('of the 1.18 worker is read: %s', async (name, outcome, html) => {
    const { body, size } = recorded(name);
    const result = await reader.read(body, size, LIMITS);
    expect(result.metadata.outcome).toBe(outcome);
    expect(result.html.toString()).toContain(html);
  });

  it('gets the fields that may be left out', async () => {
    const { metadata } = await read({ id: '1.0.0', url: 'u', statusCode: null, outcome: 'error' });
    expect(metadata).toEqual({
      id: '1.0.0',
      url: 'u',
      statusCode: 0,
      outcome: 'error',
      headers: {},
      renderTime: 0,
      redirectedTo: null,
      isIndexable: false,
      reason: null,
      error: null,
      canonical: null,
    });
  });

  it.each([
    [GOOD, null, 'x-metadata-size is missing'],
    [GOOD, '', 'x-metadata-size is missing'],
    [GOOD, '-1', 'whole number above 0'],
    [GOOD, '0', 'whole number above 0'],
    [GOOD, '1e3', 'whole number above 0'],
    [GOOD, '100000', 'the body has only'],
    [GOOD, '999999999', 'at most 262144'],
    [GOOD, '5', 'not JSON'],
    ['{', undefined, 'not JSON'],
    ['[]', undefined, 'must be object'],
    ['null', undefined, 'must be object'],
    [{ ...GOOD, id: 7 }, undefined, '`id` must be string'],
    [{ ...GOOD, url: undefined }, undefined, "required property 'url'"],
    [{ ...GOOD, statusCode: '200' }, undefined, '`statusCode` must be integer'],
    [{ ...GOOD, outcome: 'done' }, undefined, '`outcome` is "done", not one of "rendered", "redirected"'],
    [{ ...GOOD, reason: 'bored' }, undefined, '`reason` is "bored", not one of "noindex"'],
    [{ ...GOOD, headers: [] }, undefined, '`headers` must be object'],
    [{ ...GOOD, fetchedAt: 'now' }, undefined, '`fetchedAt` must be number'],
  ])('that is malformed is refused with what is wrong: %j, size %s', async (metadata, size, message) => {
    await expect(read(metadata, Buffer.alloc(0), size)).rejects.toMatchObject({ code: 'RESULT_INVALID', status: 400 });
    await expect(read(metadata, Buffer.alloc(0), size)).rejects.toThrow(message);
  });

  it.each(['gzip', 'br'])('whose HTML is not what content-encoding says is refused: %s', async (encoding) => {
    const metadata = { ...GOOD, headers: { 'Content-Encoding': encoding } };
    await expect(read(metadata, Buffer.from('<p>plain</p>'))).rejects.toThrow(`not valid ${encoding}`);
  });

  it('of an encoding that is not spoken is refused', async () => {
    const metadata = { ...GOOD, headers: { 'content-encoding': 'zstd' } };
    await expect(read(metadata, Buffer.from('x'))).rejects.toThrow('not gzip, br or identity');
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(5_000_000))],
    ['gzip', gzipSync(Buffer.alloc(20_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(5_000_000))],
    ['identity', Buffer.alloc(100_001)],
  ])('that unpacks to more than is allowed is refused: %s', async (encoding, html) => {
    const metadata = { ...GOOD, headers: { 'content-encoding': encoding } };
    await expect(read(metadata, html)).rejects.toThrow('more than 100000 bytes once decoded');
  });

  it('of any bytes is read or refused, never anything else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.string({ maxLength: 8 }), async (bytes, size) => {
        try {
          await reader.read(Buffer.from(bytes), size, LIMITS);
        } catch (error) {
          expect(error).toBeInstanceOf(PrerenderError);
        }
      }),
    );
  });
});
