import { promisify } from 'node:util';
import { brotliDecompress, gunzip, gunzipSync } from 'node:zlib';
import { Ajv, type ErrorObject } from 'ajv';
import { PrerenderError } from '../errors.ts';
import { RENDER_OUTCOMES, RENDER_REASONS, type JobResult, type JobResultMetadata } from './job.ts';

/** What a job result may be. */
export interface ResultLimits {
  /** Most bytes of the HTML once decoded. */
  readonly htmlBytes: number;
}

/** Takes a body of `POST /render_queue/job_result` apart. */
export interface ResultReader {
  /**
   * Parses and checks: `metadataSize` bytes of JSON, then the HTML, encoded as `metadata.headers['content-encoding']` says.
   * @throws PrerenderError RESULT_INVALID, naming what is wrong and what would be right.
   */
  read(body: Buffer, metadataSize: string | null | undefined, limits: ResultLimits): Promise<JobResult>;
}

/** Longest metadata, in bytes. */
export const MAX_METADATA_BYTES = 262_144;

const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength });
const optionalText = (maxLength: number) => ({ ...text(maxLength), nullable: true });
const name = { type: 'string', nullable: true };

const SCHEMA = {
  type: 'object',
  required: ['id', 'url', 'statusCode', 'outcome'],
  properties: {
    id: text(200, 1),
    url: text(8_192, 1),
    statusCode: { type: 'integer', minimum: 0, maximum: 999, nullable: true },
    headers: {
      type: 'object',
      nullable: true,
      additionalProperties: { type: ['string', 'number', 'boolean', 'null', 'array'] },
    },
    renderTime: { type: 'number', minimum: 0, nullable: true },
    redirectedTo: optionalText(16_384),
    isIndexable: { type: 'boolean', nullable: true },
    outcome: { type: 'string', enum: [...RENDER_OUTCOMES] },
    reason: { type: 'string', nullable: true, enum: [...RENDER_REASONS, null] },
    error: { type: 'object', nullable: true, properties: { name, message: name, phase: name } },
    canonical: optionalText(16_384),
    fetchedAt: { type: 'number', minimum: 0, nullable: true },
  },
} as const;

/** Compiles the check. Fields that it does not know are ignored: a newer worker may send more. */
export function createResultReader(): ResultReader {
  const check = new Ajv({ allErrors: false, strict: true, allowUnionTypes: true }).compile<Partial<JobResultMetadata>>(
    SCHEMA,
  );
  return {
    read: async (body, metadataSize, limits) => {
      const size = readSize(metadataSize, body.length);
      const value = parseJson(body.subarray(0, size));
      if (!check(value)) throw invalid(describe(check.errors?.[0], value));
      const metadata = complete(value);
      const sent = body.subarray(size);
      const encoding = metadata.headers['content-encoding']?.trim().toLowerCase();
      const html = await decode(sent, encoding, limits.htmlBytes);
      return encoding === 'gzip' && html.length > 0 ? { metadata, html, gzipped: sent } : { metadata, html };
    },
  };
}

function invalid(reason: string, cause?: unknown): PrerenderError {
  return new PrerenderError('RESULT_INVALID', { reason }, { cause });
}

function readSize(header: string | null | undefined, bodyBytes: number): number {
  if (header === null || header === undefined || header === '') {
    throw invalid('the header x-metadata-size is missing; it has to be the bytes of the JSON in front of the HTML');
  }
  const size = /^\d{1,9}$/.test(header.trim()) ? Number(header) : NaN;
  if (!(size > 0)) throw invalid(`x-metadata-size has to be a whole number above 0, not ${header.slice(0, 40)}`);
  if (size > MAX_METADATA_BYTES) throw invalid(`x-metadata-size is ${size}; at most ${MAX_METADATA_BYTES} are taken`);
  if (size > bodyBytes) throw invalid(`x-metadata-size is ${size}, but the body has only ${bodyBytes} bytes`);
  return size;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalid('the first x-metadata-size bytes of the body are not JSON in UTF-8', error);
  }
}

function describe(error: ErrorObject | undefined, value: unknown): string {
  if (!error) return 'the metadata is not as it should be';
  const path = error.instancePath.slice(1).replaceAll('/', '.') || 'metadata';
  if (error.keyword === 'enum') {
    const allowed = (error.params as { allowedValues: unknown[] }).allowedValues.map((one) => JSON.stringify(one));
    return `\`${path}\` is ${shown(valueAt(value, path))}, not one of ${allowed.join(', ')}`;
  }
  return `\`${path}\` ${error.message ?? 'is not valid'}`;
}

function valueAt(value: unknown, path: string): unknown {
  return (value as Record<string, unknown> | null)?.[path];
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 60);
}

function complete(value: Partial<JobResultMetadata>): JobResultMetadata {
  const { id = '', url = '', outcome = 'error' } = value;
  return {
    id,
    url,
    outcome,
    statusCode: value.statusCode ?? 0,
    headers: plainHeaders(value.headers ?? {}),
    renderTime: value.renderTime ?? 0,
    redirectedTo: value.redirectedTo ?? null,
    isIndexable: value.isIndexable ?? outcome === 'rendered',
    reason: value.reason ?? null,
    error: value.error ?? null,
    canonical: value.canonical ?? null,
    ...(value.fetchedAt ? { fetchedAt: value.fetchedAt } : {}),
  };
}

/** Lower-case names; what is no text is left out. */
function plainHeaders(headers: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([header, value]) => [header.toLowerCase(), value]));
}

/** Up to here the way to the thread pool and back costs more than unpacking; it bounds what a bomb can hold up the thread for. */
const SYNC_BYTES = 8_192;

const decompressGzip = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);
const decompressBrotli = promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress);

async function decode(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const name = encoding ?? 'identity';
  if (bytes.length === 0) return bytes;
  if (name === 'identity' || name === '') {
    if (bytes.length > limit) throw tooLong(limit);
    return bytes;
  }
  if (name !== 'gzip' && name !== 'br')
    throw invalid(`\`headers.content-encoding\` is ${shown(name)}, not gzip, br or identity`);
  try {
    if (name === 'br') return await decompressBrotli(bytes, { maxOutputLength: limit });
    if (bytes.length <= SYNC_BYTES) return gunzipSync(bytes, { maxOutputLength: limit });
    return await decompressGzip(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(limit);
    throw invalid(`the HTML is not valid ${name}, as \`headers.content-encoding\` says it is`, error);
  }
}

function tooLong(limit: number): PrerenderError {
  return invalid(`the HTML has more than ${limit} bytes once decoded`);
}
