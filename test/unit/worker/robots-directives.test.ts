import { describe, expect, it } from 'vitest';
import { headerForbidsIndex, metaForbidsIndex } from '../../../src/worker/robots-directives.ts';

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
