import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createSettleJudge, lookScript, type PageLook } from '../../../src/worker/page-settling.ts';

const RULES = { quiet: 500, domQuiet: 400, max: 10_000, selectors: [] };
const LOOK: PageLook = { parsed: true, loaded: true, ready: null, dom: 1, missing: [] };
const QUIET = { holding: 0, quietFor: 60_000 };

describe('when a page counts as settled', () => {
  it('when the network and the DOM have been quiet long enough', () => {
    const judge = createSettleJudge(RULES);
    expect(judge(LOOK, { holding: 0, quietFor: 499 }, 0)).toBe(false);
    expect(judge(LOOK, QUIET, 399)).toBe(false);
    expect(judge(LOOK, QUIET, 400)).toBe(true);
  });

  it('a change of the DOM or an open request starts the wait anew', () => {
    const judge = createSettleJudge(RULES);
    judge(LOOK, QUIET, 0);
    expect(judge({ ...LOOK, dom: 2 }, QUIET, 500)).toBe(false);
    expect(judge({ ...LOOK, dom: 2 }, QUIET, 899)).toBe(false);
    expect(judge({ ...LOOK, dom: 2 }, { holding: 1, quietFor: 60_000 }, 950)).toBe(false);
    expect(judge({ ...LOOK, dom: 2 }, QUIET, 960)).toBe(true);
  });

  it('a page that is never quiet is taken at the maximum, but not with a first request open', () => {
    const judge = createSettleJudge(RULES);
    const ticking = (at: number) => ({ ...LOOK, dom: at, loaded: false });
    expect(judge(ticking(0), QUIET, 0)).toBe(false);
    expect(judge(ticking(9999), QUIET, 9999)).toBe(false);
    expect(judge(ticking(10_000), { holding: 1, quietFor: 0 }, 10_000)).toBe(false);
    expect(judge(ticking(10_100), { holding: 0, quietFor: 0 }, 10_100)).toBe(true);
  });

  it('prerenderReady decides alone: false holds beyond every limit, true is taken at once', () => {
    const judge = createSettleJudge(RULES);
    expect(judge({ ...LOOK, ready: false }, QUIET, 0)).toBe(false);
    expect(judge({ ...LOOK, ready: false }, QUIET, 60_000)).toBe(false);
    expect(judge({ ...LOOK, ready: true, dom: 9 }, { holding: 3, quietFor: 0 }, 60_001)).toBe(true);
    expect(createSettleJudge(RULES)({ ...LOOK, ready: true, parsed: false }, QUIET, 0)).toBe(false);
  });

  it('a missing selector holds in any case', () => {
    const judge = createSettleJudge(RULES);
    expect(judge({ ...LOOK, ready: true, missing: ['h1'] }, QUIET, 0)).toBe(false);
    expect(judge({ ...LOOK, missing: ['h1'] }, QUIET, 20_000)).toBe(false);
    expect(judge(LOOK, QUIET, 20_001)).toBe(true);
  });
});

describe('the look at a page', () => {
  it('a selector that is none, or a page that breaks querySelector, counts as missing', () => {
    const document = {
      readyState: 'complete',
      querySelector(selector: string) {
        if (selector.endsWith('[')) throw new SyntaxError(`'${selector}' is not a valid selector`);
        return selector === 'h1' ? {} : null;
      },
    };
    const look: unknown = runInNewContext(lookScript(['h1', 'h1[', '.no', `a[b="'\\"]`]), { window: {}, document });
    expect(look).toMatchObject({ parsed: true, loaded: true, missing: ['h1[', '.no', `a[b="'\\"]`] });
  });
});
