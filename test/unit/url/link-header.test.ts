import { describe, expect, it } from 'vitest';
import { canonicalLinks } from '../../../src/url/link-header.ts';

describe('Link: rel=canonical', () => {
  it('is found among other links and relations, quoted or not', () => {
    const header =
      '</a.css>; rel=preload; as=style, </b>; title="x, y"; rel="alternate Canonical", <https://c.test/?a=1,2>;rel=canonical';
    expect(canonicalLinks(header)).toEqual(['/b', 'https://c.test/?a=1,2']);
  });

  it('is not found in other relations or broken headers, however long', () => {
    for (const header of [
      undefined,
      '',
      '</a>; rel=next',
      '</a> rel=canonical',
      'rel=canonical',
      '</canonical>; rel=next',
    ]) {
      expect(canonicalLinks(header)).toEqual([]);
    }
    const startedAt = performance.now();
    expect(canonicalLinks(`canonical ${'<a>; b="'.repeat(100_000)}`)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
