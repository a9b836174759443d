import { describe, expect, it } from 'vitest';
import type { Soft404Evidence, Soft404Rule } from '../../../src/url/soft-404.ts';
import { compileSoft404, isSoft404 } from '../../../src/url/soft-404.ts';

function judge(rules: readonly Soft404Rule[], page: Partial<Soft404Evidence>): boolean {
  const compiled = rules.map((rule) => {
    const result = compileSoft404(rule);
    if (!result.ok) throw new Error(result.reason);
    return result.rule;
  });
  return isSoft404(compiled, { title: '', h1: [], hasSelector: () => false, ...page });
}

describe('soft 404 rules', () => {
  const rules: Soft404Rule[] = [{ title: '^just a moment' }, { title: 'page not found', h1: '^404$' }];

  it('HTML-09: a challenge page and a not-found page are told by title and heading', () => {
    expect(judge(rules, { title: 'Just a moment...' })).toBe(true);
    expect(judge(rules, { title: 'Page not found', h1: ['404'] })).toBe(true);
  });

  it('HTML-09: a product page that says 404 somewhere is none', () => {
    expect(judge(rules, { title: 'Model 404', h1: ['Model 404 - not found in stores'] })).toBe(false);
    expect(judge(rules, { title: 'Page not found', h1: ['Something else'] })).toBe(false);
  });

  it('HTML-09: without rules nothing is guessed', () => {
    expect(judge([], { title: 'Page not found', h1: ['404'] })).toBe(false);
  });

  it('any heading may match, and a selector must be there', () => {
    expect(judge([{ h1: 'gone' }], { h1: ['a', 'Gone'] })).toBe(true);
    const hasSelector = (selector: string): boolean => selector === '.empty-result';
    expect(judge([{ selector: '.empty-result' }], { hasSelector })).toBe(true);
    expect(judge([{ selector: '.other' }], { hasSelector })).toBe(false);
    expect(judge([{ title: 'x', selector: '.empty-result' }], { hasSelector })).toBe(false);
  });

  it('a rule without parts or with a bad expression is an error that names the part', () => {
    expect(compileSoft404({})).toMatchObject({ ok: false, option: '' });
    expect(compileSoft404({ title: '(' })).toMatchObject({ ok: false, option: 'title' });
    expect(compileSoft404({ title: 'a', h1: '[' })).toMatchObject({ ok: false, option: 'h1' });
  });
});
