import { describe, expect, it } from 'vitest';
import type { EntityOptions } from '../../../src/url/entity.ts';
import { compileEntity } from '../../../src/url/entity.ts';

const PRODUCT: EntityOptions = { name: 'product', pattern: '/product/prd-(\\d+)/[^/]+\\.jsp' };

function idOf(url: string, options: EntityOptions = PRODUCT): string | undefined {
  const entity = compileEntity(options);
  if (!entity.ok) throw new Error(entity.reason);
  return entity.productId(url);
}

describe('compileEntity', () => {
  it('every slug of a product has one id', () => {
    expect(idOf('https://shop.test/product/prd-42/blue-rug.jsp')).toBe('product|https://shop.test|42');
    expect(idOf('https://shop.test/product/prd-42/product.jsp')).toBe('product|https://shop.test|42');
  });

  it('one number on two origins is two products', () => {
    expect(idOf('https://shop.test:8443/product/prd-42/a.jsp')).toBe('product|https://shop.test:8443|42');
    expect(idOf('https://de.shop.test/product/prd-42/a.jsp')).toBe('product|https://de.shop.test|42');
  });

  it('a page with its own path or query has no id', () => {
    expect(idOf('https://shop.test/product/prd-42/blue-rug.jsp/reviews')).toBeUndefined();
    expect(idOf('https://shop.test/x/product/prd-42/blue-rug.jsp')).toBeUndefined();
    expect(idOf('https://shop.test/product/prd-42/blue-rug.jsp?color=red')).toBeUndefined();
  });

  it('an alternative in the pattern is still held against the whole path', () => {
    const options = { name: 'p', pattern: '/a|/b/(\\d+)' };
    expect(idOf('https://shop.test/b/7', options)).toBe('p|https://shop.test|7');
    expect(idOf('https://shop.test/b/7/x', options)).toBeUndefined();
    expect(idOf('https://shop.test/a', options)).toBeUndefined();
  });

  it('takes anchors and groups that capture nothing', () => {
    expect(idOf('https://shop.test/p/7', { name: 'p', pattern: '^/(?:p|q)/(?<id>\\d+)$' })).toBe(
      'p|https://shop.test|7',
    );
  });

  it('keeps leading zeros: an id is text', () => {
    expect(idOf('https://shop.test/product/prd-007/a.jsp')).toBe('product|https://shop.test|007');
  });

  it('text that is no URL, an empty id and a path beyond the limit have no id', () => {
    expect(idOf('junk')).toBeUndefined();
    expect(idOf('https://shop.test')).toBeUndefined();
    expect(idOf('https://shop.test/p/', { name: 'p', pattern: '/p/(\\d*)' })).toBeUndefined();
    expect(idOf(`https://shop.test/product/prd-42/${'a'.repeat(3_000)}.jsp`)).toBeUndefined();
  });

  it.each([
    [{ name: 'p', pattern: '/p/(' }, 'pattern', 'not a regular expression'],
    [{ name: 'p', pattern: 'a)(b' }, 'pattern', 'not a regular expression'],
    [{ name: 'p', pattern: '/p/\\d+' }, 'pattern', 'exactly one capture group and has 0'],
    [{ name: 'p', pattern: '/(p)/(\\d+)' }, 'pattern', 'exactly one capture group and has 2'],
    [{ name: '', pattern: '/(p)' }, 'name', 'must not be empty'],
    [{ name: 'a|b', pattern: '/(p)' }, 'name', 'must not contain |'],
  ])('%j is an error of %s: %s', (options, option, reason) => {
    const entity = compileEntity(options);
    expect(entity).toMatchObject({ ok: false, option });
    expect(entity.ok ? '' : entity.reason).toContain(reason);
  });
});
