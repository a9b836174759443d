import { describe, expect, it } from 'vitest';
import type { RouteOptions } from '../../../src/url/routes.ts';
import { compileRoutes } from '../../../src/url/routes.ts';

const route = (match: RouteOptions['match'], path: string, more: Partial<RouteOptions> = {}): RouteOptions => ({
  match,
  path,
  mode: 'prerender',
  ...more,
});

describe('compileRoutes', () => {
  it.each([
    ['exact', '/about', ['/about'], ['/about/', '/about/us', '/']],
    ['prefix', '/product/', ['/product/', '/product/1'], ['/product', '/x/product/1', '/Product/1']],
    ['contains', '/reviews', ['/p/1/reviews', '/reviews/2'], ['/p/1/review']],
    ['regex', '^/p/\\d+$', ['/p/12'], ['/p/12/', '/p/a']],
  ] as const)('%s:%s', (match, path, matching, others) => {
    const table = compileRoutes([route(match, path)]);
    for (const pathname of matching) expect(table.match(pathname)?.name, pathname).toBe(`${match}:${path}`);
    for (const pathname of others) expect(table.match(pathname), pathname).toBeUndefined();
  });

  it('the first match wins', () => {
    const table = compileRoutes([
      route('contains', '/reviews', { mode: 'passthrough' }),
      route('prefix', '/product/'),
      route('prefix', '/'),
    ]);
    expect(table.match('/product/1/reviews')).toMatchObject({ index: 0, mode: 'passthrough' });
    expect(table.match('/product/1')?.name).toBe('prefix:/product/');
    expect(table.match('/x')?.name).toBe('prefix:/');
  });

  it('a path that no route matches is unclassified', () => {
    expect(compileRoutes([]).match('/')).toBeUndefined();
    expect(compileRoutes([route('exact', '/a')]).match('/b')).toBeUndefined();
  });

  it('fills in the defaults', () => {
    expect(compileRoutes([route('prefix', '/')]).match('/')).toMatchObject({
      queryParams: [],
      discoverTargets: true,
      soft404: [],
      requiredSelectors: [],
      renderInterval: undefined,
      demandFloor: undefined,
      productId: undefined,
    });
  });

  it('a passthrough route keeps every parameter unless it says otherwise', () => {
    const table = compileRoutes([
      route('prefix', '/api/', { mode: 'passthrough' }),
      route('prefix', '/', { mode: 'passthrough', queryParams: [] }),
    ]);
    expect(table.match('/api/x.json')?.queryParams).toEqual(['*']);
    expect(table.match('/')?.queryParams).toEqual([]);
  });

  it('carries its options', () => {
    const table = compileRoutes([
      route('prefix', '/product/', {
        queryParams: ['color'],
        renderInterval: 3_600_000,
        demandFloor: 60_000,
        discoverTargets: false,
        requiredSelectors: ['h1'],
        soft404: [{ title: 'not found' }],
        entity: { name: 'product', pattern: '/product/(\\d+)' },
      }),
    ]);
    const found = table.match('/product/1');
    expect(found).toMatchObject({
      queryParams: ['color'],
      renderInterval: 3_600_000,
      demandFloor: 60_000,
      discoverTargets: false,
      requiredSelectors: ['h1'],
    });
    expect(found?.soft404).toHaveLength(1);
    expect(found?.productId?.('https://shop.test/product/1')).toBe('product|https://shop.test|1');
  });

  it('a configured path is spelt as canonical paths are', () => {
    const table = compileRoutes([route('prefix', '/größe/'), route('exact', '/a%3ab%c3%bc %7Cd|')]);
    expect(table.match('/gr%C3%B6%C3%9Fe/1')?.index).toBe(0);
    expect(table.match('/a:b%C3%BC%20%7Cd%7C')?.index).toBe(1);
  });

  it('a lone surrogate in a path does not throw', () => {
    expect(compileRoutes([route('exact', '/\ud800')]).match('/%EF%BF%BD')?.index).toBe(0);
  });

  it.each([
    [route('regex', '/p/('), 'path', 'not a regular expression'],
    [route('prefix', 'product/'), 'path', 'must start with /'],
    [route('exact', ''), 'path', 'must not be empty'],
    [route('contains', '?page='), 'path', 'without ? and #'],
    [route('prefix', '/', { entity: { name: 'p', pattern: '/x' } }), 'entity.pattern', 'exactly one capture group'],
    [route('prefix', '/', { entity: { name: '', pattern: '/(x)' } }), 'entity.name', 'must not be empty'],
    [route('prefix', '/', { soft404: [{ title: 'a' }, { h1: '(' }] }), 'soft404.1.h1', 'not a regular expression'],
    [route('prefix', '/', { soft404: [{}] }), 'soft404.0', 'at least one of'],
  ])('%j: the error names the route and %s, and the route matches nothing', (bad, option, reason) => {
    const table = compileRoutes([route('exact', '/good'), bad]);
    expect(table.errors).toEqual([{ index: 1, option, reason: expect.stringContaining(reason) as string }]);
    expect(table.routes.map(({ index }) => index)).toEqual([0]);
    expect(table.match('/p/(')).toBeUndefined();
    expect(table.match('/good')?.index).toBe(0);
  });

  it('a path beyond the limit matches no regular expression, so that its time stays bounded', () => {
    const table = compileRoutes([route('regex', '/'), route('prefix', '/a', { mode: 'passthrough' })]);
    expect(table.match(`/${'a'.repeat(2_047)}`)?.index).toBe(0);
    expect(table.match(`/${'a'.repeat(2_048)}`)?.index).toBe(1);
  });
});
