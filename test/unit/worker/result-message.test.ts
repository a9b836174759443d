import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JobResultMetadata, RenderJob } from '../../../src/protocol/job.ts';
import { parsePage } from '../../../src/worker/html-document.ts';
import { pageFacts } from '../../../src/worker/page-facts.ts';
import type { PageVerdict } from '../../../src/worker/page-verdict.ts';
import { RenderFailure } from '../../../src/worker/render-failure.ts';
import { failureMessage, pageMessage } from '../../../src/worker/result-message.ts';

const JOB: RenderJob = {
  id: 'lease-1',
  url: 'https://shop.test/é',
  deviceType: 'desktop',
  expiresAt: 0,
  callbackOrigin: '',
  isFromSitemap: false,
};
const VERDICT: PageVerdict = {
  outcome: 'rendered',
  reason: null,
  statusCode: 200,
  isIndexable: true,
  canonical: null,
  redirectedTo: null,
  message: null,
};

describe('the message of a result', () => {
  it('is JSON of the stated size in bytes and then the gzipped page', async () => {
    const html = '<p>ümlaut';
    const facts = pageFacts(parsePage('<head><meta name=prerender-header content="x-a: 1">'), JOB.url);
    const headers = {
      'content-type': 'text/html; charset=iso-8859-1',
      link: '</a>; rel=x\n</b>; rel=y',
      'x-robots-tag': 'otherbot: noindex\nnofollow',
      'set-cookie': 'a=1',
      etag: '"x"',
      'content-encoding': 'br',
    };
    const message = await pageMessage(JOB, { verdict: VERDICT, facts, headers, html, fetchedAt: 7 }, 12);
    const metadata = JSON.parse(message.body.subarray(0, message.metadataSize).toString()) as JobResultMetadata;
    expect(gunzipSync(message.body.subarray(message.metadataSize)).toString()).toBe(html);
    expect(metadata).toEqual({
      id: 'lease-1',
      url: JOB.url,
      statusCode: 200,
      headers: {
        link: '</a>; rel=x, </b>; rel=y',
        'x-robots-tag': 'nofollow, otherbot: noindex',
        'x-a': '1',
        'content-type': 'text/html; charset=utf-8',
        'content-encoding': 'gzip',
      },
      renderTime: 12,
      redirectedTo: null,
      isIndexable: true,
      outcome: 'rendered',
      reason: null,
      error: null,
      canonical: null,
      fetchedAt: 7,
    });
  });

  it('of a failure carries its name, phase and status, and no body', () => {
    const failure = new RenderFailure('PageCrashed', 'Page crashed!', {
      phase: 'settle',
      reason: 'incomplete',
      statusCode: 200,
    });
    const message = failureMessage(JOB, failure, 3);
    expect(message.body.length).toBe(message.metadataSize);
    expect(message.metadata).toMatchObject({
      outcome: 'error',
      reason: 'incomplete',
      statusCode: 200,
      error: { name: 'PageCrashed', message: 'Page crashed!', phase: 'settle' },
    });
    expect(failureMessage(JOB, 'odd', 3).metadata).toMatchObject({
      statusCode: 0,
      reason: 'error',
      error: { name: 'Error', message: 'odd', phase: 'open' },
    });
  });

  it('of a page that was judged an error says why', async () => {
    const verdict: PageVerdict = { ...VERDICT, outcome: 'error', reason: 'incomplete', message: 'the page is blank' };
    const message = await pageMessage(
      JOB,
      { verdict, facts: pageFacts(parsePage(''), JOB.url), headers: {}, html: null, fetchedAt: null },
      1,
    );
    expect(message.metadata.error).toEqual({ name: 'PageRejected', message: 'the page is blank', phase: 'verdict' });
  });
});
