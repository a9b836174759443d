import { describe, expect, test } from 'vitest';
import { parseFacets, rawFacets, select } from './facets.ts';

const CANONICAL = '/catalog/blue-bath-rugs.jsp?CN=Color:Blue+Silhouette:Bath%20Rugs';

describe('facets', () => {
  test.each([
    'Color:Blue+Silhouette:Bath%20Rugs',
    'Silhouette:Bath%20Rugs+Color:Blue',
    'Color:Blue%2BSilhouette:Bath%20Rugs',
    'Color:Blue%2bSilhouette:Bath%20Rugs',
    'Color:Blue%20Silhouette:Bath%20Rugs',
    'Color:Blue+Silhouette:Bath+Rugs',
    'Color%3ABlue+Silhouette%3aBath%20Rugs',
  ])('%s is the one selection', (raw) => {
    expect(select(raw)).toMatchObject({ known: true, canonicalPath: CANONICAL, title: 'Blue Bath Rugs' });
  });

  test('the canonical spelling is its own canonical', () => {
    for (const raw of ['Brand:ACME%2BCO', 'Brand:Fern%20%26%20Field+Color:Clay', 'Color:Blue+Color:Navy']) {
      const { canonicalPath } = select(raw);
      expect(canonicalPath.endsWith(`?CN=${raw}`)).toBe(true);
      expect(select(rawFacets(canonicalPath.split('?')[1] ?? '') ?? '').canonicalPath).toBe(canonicalPath);
    }
  });

  test('plus and %2B inside a value are different values', () => {
    expect(parseFacets('Brand:ACME%2BCO')).toEqual([{ group: 'Brand', value: 'ACME+CO' }]);
    expect(parseFacets('Brand:ACME+CO')).toEqual([{ group: 'Brand', value: 'ACME CO' }]);
    expect(select('Brand:ACME+CO')).toMatchObject({ known: false, canonicalPath: '/catalog/all-products.jsp' });
  });

  test('a double-encoded separator is junk whose canonical is new each time', () => {
    let raw = 'Color:Blue%252BSilhouette:Bath%20Rugs';
    const seen = new Set([raw]);
    for (let step = 0; step < 5; step += 1) {
      const selection = select(raw);
      expect(selection.known).toBe(false);
      raw = rawFacets(selection.canonicalPath.split('?')[1] ?? '') ?? '';
      expect(seen.has(raw)).toBe(false);
      seen.add(raw);
    }
  });

  test('broken escapes, empty facets and unknown groups never throw and are no known selection', () => {
    for (const raw of ['Color:%zz', 'Color:', ':', '+', 'Blue', 'Shape:Round', '%FF', 'Color:Blue+']) {
      expect(select(raw).known, raw).toBe(false);
    }
    expect(select('').known).toBe(true);
  });

  test('CN is found raw among other parameters', () => {
    expect(rawFacets('a=1&CN=Color:Blue%2B&b=2')).toBe('Color:Blue%2B');
    expect(rawFacets('XCN=1')).toBeUndefined();
  });
});
