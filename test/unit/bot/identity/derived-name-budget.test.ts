import { describe, expect, it } from 'vitest';
import { createDerivedNameBudget, DERIVED_OTHER } from '../../../../src/bot/identity/derived-name-budget.ts';

const MIDNIGHT = Date.UTC(2026, 0, 2);

function budget(maxDerivedBots: number): { label: (name: string) => string; setTime: (ms: number) => void } {
  let time = MIDNIGHT;
  const label = createDerivedNameBudget({ knownNames: new Set(['Googlebot']), maxDerivedBots, now: () => time });
  return { label, setTime: (ms) => (time = ms) };
}

describe('createDerivedNameBudget', () => {
  it('lets the first derived names of a day through and folds the rest', () => {
    const { label } = budget(2);
    expect(['A', 'B', 'A', 'C', 'B', 'D'].map(label)).toEqual(['A', 'B', 'A', DERIVED_OTHER, 'B', DERIVED_OTHER]);
  });

  it('always lets known names and other through, at no cost', () => {
    const { label } = budget(1);
    expect(['Googlebot', 'other', DERIVED_OTHER, 'A', 'B', 'Googlebot', 'other'].map(label)).toEqual([
      'Googlebot',
      'other',
      DERIVED_OTHER,
      'A',
      DERIVED_OTHER,
      'Googlebot',
      'other',
    ]);
  });

  it('starts anew at midnight UTC', () => {
    const { label, setTime } = budget(1);
    setTime(MIDNIGHT - 1);
    expect(['A', 'B'].map(label)).toEqual(['A', DERIVED_OTHER]);
    setTime(MIDNIGHT);
    expect(['B', 'A'].map(label)).toEqual(['B', DERIVED_OTHER]);
  });

  it('lets none through with a budget of 0', () => {
    const { label } = budget(0);
    expect(['A', 'Googlebot'].map(label)).toEqual([DERIVED_OTHER, 'Googlebot']);
  });
});
