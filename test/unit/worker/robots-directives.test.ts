import { describe, expect, it } from 'vitest';
import { headerForbidsIndex, joinRobotsHeaders, metaForbidsIndex } from '../../../src/worker/robots-directives.ts';

describe('robots directives', () => {
  it('HTML-07: noindex and none forbid, in any case and place', () => {
    for (const content of ['noindex', 'NOINDEX, nofollow', 'none', 'index, follow, NoIndex', ' noindex ,'])
      expect(metaForbidsIndex(content), content).toBe(true);
    for (const content of ['', 'index, follow', 'noimageindex', 'nofollow', 'noindex-staging', 'max-snippet:-1'])
      expect(metaForbidsIndex(content), content).toBe(false);
  });

  it('HTML-07: the header counts when it is for all crawlers', () => {
    for (const header of [
      'noindex',
      'nofollow, none',
      'max-snippet: 5, noindex',
      'robots: noindex',
      'otherbot: nofollow\nnoindex',
      'unavailable_after: 25 Jun 2030 15:00:00 PST, noindex',
    ])
      expect(headerForbidsIndex(header), header).toBe(true);
    for (const header of [
      '',
      'index',
      'googlebot: noindex',
      'otherbot: nofollow, noindex',
      'max-image-preview: none-such',
    ])
      expect(headerForbidsIndex(header), header).toBe(false);
  });
});

describe('several robots headers as one', () => {
  it('a directive for all crawlers is not swallowed by the scope of a header before it', () => {
    const cases: [string, string][] = [
      ['googlebot: nofollow\nnoindex', 'noindex, googlebot: nofollow'],
      ['nofollow, googlebot: noindex\nnoarchive', 'nofollow, noarchive, googlebot: noindex'],
      ['googlebot: nofollow, noarchive\nbingbot: noindex', 'googlebot: nofollow, noarchive, bingbot: noindex'],
      ['otherbot: none\nrobots: noindex', 'robots: noindex, otherbot: none'],
      [
        'otherbot: none\nunavailable_after: Fri, 25 Jun 2030 15:00:00 GMT, max-snippet: 5',
        'unavailable_after: Fri, 25 Jun 2030 15:00:00 GMT, max-snippet: 5, otherbot: none',
      ],
      ['noindex\n\nnofollow', 'noindex, nofollow'],
    ];
    for (const [lines, joined] of cases) {
      expect(joinRobotsHeaders(lines)).toBe(joined);
      expect(headerForbidsIndex(joined), joined).toBe(headerForbidsIndex(lines));
    }
  });

  it('one header stays as it is', () => {
    for (const header of ['', 'googlebot:noindex ,nofollow', 'NOINDEX,nofollow'])
      expect(joinRobotsHeaders(header)).toBe(header);
  });
});
