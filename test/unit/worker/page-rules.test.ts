import { describe, expect, it } from 'vitest';
import { parseSelectorRules, requiredSelectors } from '../../../src/worker/page-rules.ts';

describe('selectors that a page must have', () => {
  it('apply to the URLs that match', () => {
    const rules = parseSelectorRules(['/product/ h1, .name', '. main > p']);
    expect(requiredSelectors(rules, 'https://shop.test/product/1')).toEqual(['h1, .name', 'main > p']);
    expect(requiredSelectors(rules, 'https://shop.test/')).toEqual(['main > p']);
  });
});
