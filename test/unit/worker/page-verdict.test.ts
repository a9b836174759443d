import { describe, expect, it } from 'vitest';
import { parsePage } from '../../../src/worker/html-document.ts';
import { pageFacts } from '../../../src/worker/page-facts.ts';
import { parsePatterns } from '../../../src/worker/page-rules.ts';
import { judgePage, type GuessRules } from '../../../src/worker/page-verdict.ts';
import { WORKER_OPTIONS } from '../../../src/worker/settings.ts';

const RULES: GuessRules = {
  challengeTitles: parsePatterns('challengeTitles', WORKER_OPTIONS.challengeTitles.default),
  soft404Titles: parsePatterns('soft404Titles', WORKER_OPTIONS.soft404Titles.default),
  minText: 1,
};

interface Case {
  url?: string;
  status?: number;
  headers?: Record<string, string>;
  rules?: GuessRules;
}
const judge = (html: string, { url = 'https://shop.test/p', status = 200, headers = {}, rules = RULES }: Case = {}) =>
  judgePage({ jobUrl: url, status, headers, facts: pageFacts(parsePage(html), url) }, rules);
const page = (head: string, body = 'text'): string =>
  `<!DOCTYPE html><head><title>Boots</title>${head}</head><body>${body}</body>`;

describe('the verdict on a page', () => {
  it('a plain page is rendered and indexable', () => {
    expect(judge(page(''))).toEqual({
      outcome: 'rendered',
      reason: null,
      statusCode: 200,
      isIndexable: true,
      canonical: null,
      redirectedTo: null,
      message: null,
    });
  });

  it('HTML-07: exactly the robots tags that say so make a page non-indexable', () => {
    for (const head of [
      "<META CONTENT='NOINDEX, nofollow' NAME='ROBOTS'>",
      "<meta name='robots'content='none'>",
      '<meta name=robots content=index><meta name=robots content=noindex>',
    ])
      expect(judge(page(head)), head).toMatchObject({
        outcome: 'non-indexable',
        reason: 'noindex',
        isIndexable: false,
      });
    for (const head of [
      '<!-- <meta name=robots content=noindex> -->',
      '<meta name=robots content="index, follow" data-env=noindex-staging>',
      `<script>x="<meta name='robots' content='noindex'>"</script>`,
      '<meta name=robots content=noimageindex>',
      '<meta name=otherbot content=noindex>',
      '<noscript><meta name=robots content=noindex></noscript>',
    ])
      expect(judge(page(head)), head).toMatchObject({ outcome: 'rendered', isIndexable: true });
  });

  it('HTML-07: a robots tag in the body counts, the header too', () => {
    expect(judge(page('', '<meta name=robots content=noindex>text')).reason).toBe('noindex');
    expect(judge(page(''), { headers: { 'x-robots-tag': 'noindex' } }).reason).toBe('noindex');
  });

  it('HTML-06: the status tag counts on a 200 page only', () => {
    const tag = '<meta name=prerender-status-code content=404>';
    expect(judge(page(tag))).toMatchObject({ outcome: 'non-indexable', reason: 'http-error', statusCode: 404 });
    expect(judge(page(tag), { status: 503 })).toMatchObject({ outcome: 'error', statusCode: 503 });
    expect(judge(page('<meta name=prerender-status-code content=503>'))).toMatchObject({
      outcome: 'error',
      reason: 'http-error',
      statusCode: 503,
    });
    expect(
      judge(page('<meta name=prerender-status-code content=301><meta name=prerender-header content="Location: /new">')),
    ).toMatchObject({
      outcome: 'redirected',
      reason: 'redirect',
      statusCode: 301,
      redirectedTo: 'https://shop.test/new',
    });
  });

  it('HTTP errors: those that pass are errors, the others verdicts', () => {
    for (const status of [408, 425, 429, 500, 502, 503, 504])
      expect(judge(page(''), { status })).toMatchObject({ outcome: 'error', reason: 'http-error', statusCode: status });
    for (const status of [400, 401, 403, 404, 410, 451])
      expect(judge(page(''), { status })).toMatchObject({
        outcome: 'non-indexable',
        reason: 'http-error',
        statusCode: status,
      });
  });

  it('HTML-01: a blank page is an error; one with a picture or text is not', () => {
    expect(judge('<html><head></head><body></body></html>')).toMatchObject({ outcome: 'error', reason: 'incomplete' });
    expect(judge(page('', '<noscript>Please enable JavaScript</noscript><script>1</script>')).reason).toBe(
      'incomplete',
    );
    expect(judge(page('', '<img src=a>')).outcome).toBe('rendered');
    expect(judge(page('', 'short'), { rules: { ...RULES, minText: 20 } }).reason).toBe('incomplete');
  });

  it('HTML-09: challenges and soft 404s by their titles, and never by words in the page', () => {
    const titled = (title: string, body = 'text') => judge(`<title>${title}</title><body>${body}`);
    for (const title of ['Just a moment...', 'Attention Required! | Cloudflare', 'Access denied'])
      expect(titled(title), title).toMatchObject({ outcome: 'error', reason: 'incomplete' });
    for (const title of ['Page not found', '404', '404 - Page Not Found', 'Error 404: Not found', 'Not found | Shop'])
      expect(titled(title), title).toMatchObject({ outcome: 'non-indexable', reason: 'soft-404' });
    for (const title of [
      'Boots 404',
      '404 Jeans | Shop',
      'Lost and not found',
      'Just a moment - poster',
      'Access denied: the movie',
    ])
      expect(titled(title, '<div class=h-captcha></div>Model 404 - not found in stores'), title).toMatchObject({
        outcome: 'rendered',
      });
  });

  it('HTML-09: without rules nothing is guessed', () => {
    const rules = { challengeTitles: [], soft404Titles: [], minText: 0 };
    for (const html of ['<title>Just a moment...</title>', '<title>404</title>', '<body></body>'])
      expect(judge(html, { rules }).outcome).toBe('rendered');
  });
});

describe('the canonical', () => {
  const canonical = (href: string, url: string) => judge(page(`<link rel=canonical href="${href}">`), { url });

  it('of the page itself, however it is written, makes no other page', () => {
    const url = 'https://shop.test/c.jsp?CN=A:b+C:d';
    expect(canonical(url, url)).toMatchObject({ outcome: 'rendered', reason: null, isIndexable: true, canonical: url });
    expect(canonical('HTTPS://SHOP.test:443/c.jsp?CN=A:b+C:d#top', url)).toMatchObject({
      outcome: 'rendered',
      reason: null,
    });
  });

  it('with %20 for + (or the other way) is a spelling of the same page; %2B is another value', () => {
    expect(canonical('/c?a=b%20c', 'https://shop.test/c?a=b+c')).toMatchObject({
      outcome: 'rendered',
      reason: 'canonical-variant',
      isIndexable: true,
    });
    expect(canonical('/c?a=b+c', 'https://shop.test/c?a=b%20c')).toMatchObject({
      outcome: 'rendered',
      isIndexable: true,
    });
    expect(canonical('/c?a=b%2Bc', 'https://shop.test/c?a=b+c')).toMatchObject({
      outcome: 'non-indexable',
      reason: 'canonical-mismatch',
    });
  });

  it('of another page is a mismatch, and what was declared is kept', () => {
    expect(canonical('/q', 'https://shop.test/p')).toMatchObject({
      outcome: 'non-indexable',
      reason: 'canonical-mismatch',
      isIndexable: false,
      canonical: 'https://shop.test/q',
    });
    expect(canonical('http://shop.test/p', 'https://shop.test/p').reason).toBe('canonical-mismatch');
    expect(judge(page(''), { headers: { link: '</q>; rel=canonical' } })).toMatchObject({
      reason: 'canonical-mismatch',
      canonical: 'https://shop.test/q',
    });
  });

  it('in the page beats the header, and noindex beats both', () => {
    expect(judge(page('<link rel=canonical href=/p>'), { headers: { link: '</q>; rel=canonical' } }).reason).toBeNull();
    expect(judge(page('<link rel=canonical href=/q><meta name=robots content=noindex>'))).toMatchObject({
      reason: 'noindex',
      canonical: 'https://shop.test/q',
    });
  });
});
