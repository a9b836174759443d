import { describe, expect, it } from 'vitest';
import { parsePage } from '../../../src/worker/html-document.ts';
import { linkHeaderCanonical, pageFacts } from '../../../src/worker/page-facts.ts';

const facts = (html: string) => pageFacts(parsePage(html), 'https://shop.test/c/p?x=1');
const inHead = (head: string) => facts(`<!DOCTYPE html><head><title>T</title>${head}</head><body>text</body>`);

describe('the status that a page gives itself', () => {
  it('HTML-06: is read in every spelling of the tag', () => {
    for (const tag of [
      `<meta content='404' data-x=1 name='prerender-status-code'>`,
      '<META NAME="PRERENDER-STATUS-CODE" CONTENT="404">',
      '<meta name=prerender-status-code content=404 />',
      '<meta name="prerender-status-code" content=" 404 ">',
    ])
      expect(inHead(tag).statusCode, tag).toBe(404);
  });

  it('HTML-06: is not read from bad numbers, comments or the body; the first usable one counts', () => {
    const tag = (content: string): string => `<meta name="prerender-status-code" content="${content}">`;
    for (const bad of ['abc', '99', '600', '', '4040', '1e2', '100'])
      expect(inHead(tag(bad)).statusCode, bad).toBeNull();
    expect(inHead(`<!-- ${tag('404')} -->`).statusCode).toBeNull();
    expect(facts(`<head><title>T</title></head><body>${tag('404')}</body>`).statusCode).toBeNull();
    expect(inHead(`<template>${tag('404')}</template><noscript>${tag('404')}</noscript>`).statusCode).toBeNull();
    expect(inHead(tag('404') + tag('200')).statusCode).toBe(404);
    expect(inHead(tag('x') + tag('410')).statusCode).toBe(410);
  });

  it('HTML-06: headers are read, but none of the connection, the body or a person', () => {
    const tag = (content: string): string => `<meta name="prerender-header" content="${content}">`;
    expect(inHead(tag('X-A: b: c') + tag('Location: /x')).headers).toEqual([
      ['x-a', 'b: c'],
      ['location', '/x'],
    ]);
    for (const bad of [
      'Set-Cookie: a=1',
      'Content-Length: 1',
      'Transfer-Encoding: chunked',
      'no colon',
      'bad name: x',
      'x: a&#10;y: b',
    ])
      expect(inHead(tag(bad)).headers, bad).toEqual([]);
  });
});

describe('the canonical that a page declares', () => {
  it('is resolved against base and page', () => {
    expect(inHead('<link rel=canonical href="d">').canonical).toBe('https://shop.test/c/d');
    expect(inHead('<base href="/b/"><LINK HREF=d REL="alternate CANONICAL">').canonical).toBe('https://shop.test/b/d');
  });

  it('counts in the head only; empty, unusable and other schemes say nothing; the first counts', () => {
    expect(facts('<title>T</title><body>x<link rel=canonical href=/d></body>').canonical).toBeNull();
    for (const href of ['', ' ', 'mailto:a@b', 'http://', 'javascript:1'])
      expect(inHead(`<link rel=canonical href="${href}">`).canonical, href).toBeNull();
    expect(
      inHead('<link rel=canonical href=""><link rel=canonical href=/1><link rel=canonical href=/2>').canonical,
    ).toBe('https://shop.test/1');
  });

  it('may come by the Link header', () => {
    const at = (header: string) => linkHeaderCanonical(header, 'https://shop.test/c/p');
    expect(at('</a>; rel="canonical"')).toBe('https://shop.test/a');
    expect(
      at('<https://cdn.test/a.css>; rel=preload; as=style, <https://shop.test/x,y;z>; title="a, b"; rel=canonical'),
    ).toBe('https://shop.test/x,y;z');
    expect(at('</a>; rel="alternate"\n</b>; REL=Canonical')).toBe('https://shop.test/b');
    expect(at('</a>; rel=alternate')).toBeNull();
    expect(at('nonsense')).toBeNull();
    expect(at('<mailto:a@b>; rel=canonical, </b>; rel=canonical')).toBe('https://shop.test/b');
  });

  it('a hostile Link header is read in no time', () => {
    for (const part of ['<', '<a>; b="', '<a>;', '<a>; canonical= ']) {
      const started = performance.now();
      expect(linkHeaderCanonical(`canonical ${part.repeat(60_000)}`, 'https://shop.test/')).toBeNull();
      expect(performance.now() - started, part).toBeLessThan(500);
    }
  });
});

describe('what a reader sees', () => {
  it('is the text of the body without scripts, styles and hidden alternatives', () => {
    const page = facts(
      '<title>T</title><body>ab <b>c</b><script>x</script><style>y</style><noscript>z</noscript><template>q</template>',
    );
    expect(page.visibleText).toBe(3);
    expect(page.hasMedia).toBe(false);
    expect(facts('<body><img src=a>').hasMedia).toBe(true);
  });

  it('the title has its white space collapsed, and one in svg is none', () => {
    expect(facts('<head><title> A\n  B </title></head>').title).toBe('A B');
    expect(facts('<body><svg><title>S</title></svg>').title).toBe('');
  });
});
