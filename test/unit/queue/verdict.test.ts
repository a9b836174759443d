import { expect, it } from 'vitest';
import { backoffDelay } from '../../../src/queue/backoff.ts';
import { formatJobId, parseJobId } from '../../../src/queue/lease.ts';
import { byFallingScore } from '../../../src/queue/priority.ts';
import { readSoft404Evidence } from '../../../src/queue/soft-404-evidence.ts';

it('soft-404 evidence has title and headings, scripts and SVG titles left out', () => {
  const evidence = readSoft404Evidence(
    Buffer.from('<title> Not\n found </title><svg><title>icon</title></svg><h1>One <b>two</b></h1><h1>Three</h1>'),
  );
  expect(evidence.title).toBe('Not found');
  expect(evidence.h1).toEqual(['One two', 'Three']);
});

it('the wait after failures is never longer than the cadence, and half of it is chance', () => {
  const limits = { initial: 60_000, max: 3_600_000 };
  expect(backoffDelay(1, limits, 86_400_000, 0)).toBe(30_000);
  expect(backoffDelay(1, limits, 86_400_000, 1)).toBe(60_000);
  expect(backoffDelay(50, limits, 86_400_000, 1)).toBe(3_600_000);
  expect(backoffDelay(50, limits, 600_000, 1)).toBe(600_000);
});

it('items come by falling score', () => {
  const scores = Array.from({ length: 200 }, (_unused, index) => (index * 7_919) % 211);
  expect([...byFallingScore(scores, (score) => score)]).toEqual(scores.toSorted((a, b) => b - a));
  expect([...byFallingScore([], () => 0)]).toEqual([]);
});

it('job ids are read back, and anything else is not', () => {
  const ref = { batch: '1796063775795', index: 3, device: 1 };
  expect(parseJobId(formatJobId(ref))).toEqual(ref);
  for (const id of ['', '1', '1.2', '1.2.3.4', 'a.1.1', '1.-1.0', '1.1.1e2', ' 1.1.1'])
    expect(parseJobId(id)).toBeUndefined();
});
