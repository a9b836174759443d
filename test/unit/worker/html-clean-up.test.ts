import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanUpHtml } from '../../../src/worker/html-clean-up.ts';
import { parsePage } from '../../../src/worker/html-document.ts';

const clean = (html: string): string => cleanUpHtml(html, parsePage(html));

describe('cleaning a rendered page', () => {
  it('HTML-02: only executable scripts go; data blocks and noscript stay byte for byte', () => {
    const kept = [
      '<script type="application/ld+json">{"@type":"Product","sku":"9", "x": "<b>&amp;\\u003c"}</script>',
      '<script type="application/json" id=s>{}</script>',
      '<script type="text/template"><p>{{x}}</p></script>',
      '<script type="text/javascript; charset=utf-8">not run by a browser</script>',
      '<noscript><img src=/n.png></noscript>',
    ];
    const gone = [
      '<script>a()</script>',
      "<script type='module' src='/m.js'></script>",
      '<script type="">b()</script>',
      '<SCRIPT TYPE=" Text/JavaScript ">c("</p>")</SCRIPT>',
      '<script language=javascript>d()</script>',
      '<script type=importmap>{}</script>',
      '<script type=speculationrules>{}</script>',
      '<link rel=modulepreload href=/m.js>',
      '<link rel="preload" as=script href=/a.js>',
    ];
    const page = (parts: string[]): string => `<!DOCTYPE html><title>T</title><body>${parts.join('')}end`;
    expect(clean(page(kept.flatMap((part, i) => [part, gone[i] ?? '']).concat(gone.slice(kept.length))))).toBe(
      page(kept),
    );
  });

  it('HTML-02: scripts in svg and templates go too, links and preloads of other things stay', () => {
    expect(
      clean('<svg><script>x()</script><path d="M0"/></svg><template><script>y()</script><i>t</i></template>'),
    ).toBe('<svg><path d="M0"/></svg><template><i>t</i></template>');
    const links =
      '<link rel=preload as=style href=/a.css><link rel=stylesheet href=/a.css><link rel=canonical href=/c>';
    expect(clean(links)).toBe(links);
  });

  it('HTML-04: doctype, base and all links stay exactly as they were', () => {
    const html =
      '<!DOCTYPE html><html lang=en><head><base href="/"></head><body><a href="#r">r</a><a href="x">x</a></body></html>';
    expect(clean(html)).toBe(html);
    expect(clean('<p onclick="a()">b</p>')).toBe('<p onclick="a()">b</p>');
  });

  it('HTML-06: cuts exactly the prerender tags out of a one-line page', () => {
    expect(
      clean(
        `<head><title>T</title><meta content='404' data-x=1 name='prerender-status-code'><meta name=description content=D><META NAME="Prerender-Header" CONTENT="a: b"></head>`,
      ),
    ).toBe('<head><title>T</title><meta name=description content=D></head>');
  });

  it('what looks like a script in comments, attributes and text stays', () => {
    const html =
      '<!-- <script>a()</script> --><p title="<script>b()</script>">x</p><textarea><script>c()</script></textarea>';
    expect(clean(html)).toBe(html);
  });

  it('leaves nothing behind that a cut brings to light', () => {
    const tag = '<meta name=prerender-header>';
    const once = clean(`<!DOCTYPE html><body><svg>${tag}<script>${tag}`);
    expect(parsePage(once).elements.filter(({ name }) => name === 'meta' || name === 'script')).toEqual([]);
  });

  it('never throws, and cleaning again changes nothing', () => {
    const piece = fc.constantFrom(
      '<script>',
      '</script>',
      '<p>',
      '</p>',
      '<!--',
      '-->',
      '<svg>',
      '<template>',
      'x',
      '<script type="application/ld+json">',
      '"',
      '<meta name=prerender-header>',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const once = clean(`<!DOCTYPE html><body>${pieces.join('')}`);
        expect(once.length).toBeLessThanOrEqual(`<!DOCTYPE html><body>${pieces.join('')}`.length);
        expect(parsePage(once).elements.filter((e) => e.name === 'meta')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('copes with a page nested very deeply', () => {
    const html = '<div>'.repeat(20_000) + '<script>x</script>';
    expect(clean(html)).toBe('<div>'.repeat(20_000));
  });
});
