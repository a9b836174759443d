import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PAGE_STATUS_HEADER, type JobResultMetadata, type RenderJob } from '../protocol/job.ts';
import { RenderFailure } from './render-failure.ts';
import type { PageReport } from './render-page.ts';
import { joinRobotsHeaders } from './robots-directives.ts';

const gzipAsync = promisify(gzip);

/** Headers of the origin's answer that a stored page may need. */
const KEPT_HEADERS = ['cache-control', 'content-language', 'link', 'retry-after', 'x-robots-tag'];

/** A result as it is sent: the body of `POST /render_queue/job_result` and the length of its JSON part in bytes. */
export interface ResultMessage {
  metadata: JobResultMetadata;
  metadataSize: number;
  body: Buffer;
}

/** The message for a page that came to a verdict. `renderTime` in ms. */
export async function pageMessage(job: RenderJob, report: PageReport, renderTime: number): Promise<ResultMessage> {
  const { verdict } = report;
  const html = report.html === null ? null : await gzipAsync(report.html);
  const metadata: JobResultMetadata = {
    id: job.id,
    url: job.url,
    statusCode: verdict.statusCode,
    headers: { ...keptHeaders(report), ...(html && { 'content-encoding': 'gzip' }) },
    renderTime,
    redirectedTo: verdict.redirectedTo,
    isIndexable: verdict.isIndexable,
    outcome: verdict.outcome,
    reason: verdict.reason,
    error:
      verdict.outcome === 'error'
        ? { name: 'PageRejected', message: verdict.message ?? 'not a page', phase: 'verdict' }
        : null,
    canonical: verdict.canonical,
    ...(report.fetchedAt !== null && { fetchedAt: report.fetchedAt }),
  };
  return encode(metadata, html);
}

/** The message for a render that failed. */
export function failureMessage(job: RenderJob, error: unknown, renderTime: number): ResultMessage {
  const failure = error instanceof RenderFailure ? error : null;
  return encode(
    {
      id: job.id,
      url: job.url,
      statusCode: failure?.statusCode ?? 0,
      headers: {},
      renderTime,
      redirectedTo: null,
      isIndexable: false,
      outcome: 'error',
      reason: failure?.reason ?? 'error',
      error: {
        name: error instanceof Error ? error.name : 'Error',
        message: error instanceof Error ? error.message : String(error),
        phase: failure?.phase ?? 'open',
      },
      canonical: null,
    },
    null,
  );
}

function keptHeaders(report: PageReport): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = report.headers[name];
    if (value !== undefined)
      kept[name] = name === 'x-robots-tag' ? joinRobotsHeaders(value) : value.replaceAll('\n', ', ');
  }
  for (const [name, value] of report.facts.headers) kept[name] = value;
  if (report.html !== null && report.facts.statusCode !== null)
    kept[PAGE_STATUS_HEADER] = String(report.facts.statusCode);
  // The page is serialised as UTF-8, whatever the origin sent.
  if (report.html !== null) kept['content-type'] = 'text/html; charset=utf-8';
  return kept;
}

function encode(metadata: JobResultMetadata, html: Buffer | null): ResultMessage {
  const json = Buffer.from(JSON.stringify(metadata));
  return { metadata, metadataSize: json.length, body: html ? Buffer.concat([json, html]) : json };
}
