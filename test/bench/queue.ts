import { assertCleanLog } from '../harper/harness/instance.ts';
import { drain, type DrainFigures } from './queue-drain/drain.ts';
import { bootBenchHost } from './queue-drain/host.ts';
import type { HarperInstance } from '../../src/cli/harper-instance.ts';

const DEVICES = 2;
/** Rows that one call fills: the calls go to both threads in turn. */
const CHUNK = 10_000;

/**
 * Drains an aged queue over HTTP, as render workers do, on a real Harper with two worker threads: the figures hold what a worker sees,
 * authentication and the storing of pages included. Prints percentiles and shares, and throws when a job was lost or granted twice.
 */
export async function benchQueue({ small, rows = 1_000_000 }: { small: boolean; rows?: number }): Promise<void> {
  const size = small ? { rows: 20_000, due: 5_000, age: 3 } : { rows, due: Math.floor(rows / 4), age: 20 };
  const host = await bootBenchHost();
  try {
    await fill(host.instance, size);
    const expected = size.due * DEVICES;
    const figures = await drain(host.instance, { expected, claimLimit: 100, workers: 2, senders: 5 });
    report(figures, expected);
    assertCleanLog(host.instance);
    if (figures.granted !== expected || figures.twice > 0 || figures.refused > 0) {
      throw new Error('The queue lost a job, granted one twice, or refused a result');
    }
  } finally {
    await host.stop();
  }
}

async function fill(instance: HarperInstance, size: { rows: number; due: number; age: number }): Promise<void> {
  const pass = async (action: string, rows: number): Promise<void> => {
    const start = performance.now();
    const starts = Array.from({ length: Math.ceil(rows / CHUNK) }, (_unused, index) => index * CHUNK);
    const run = async (): Promise<void> => {
      for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
        const response = await instance.request(`/bench/${action}?from=${from}&to=${Math.min(from + CHUNK, rows)}`);
        if (!response.ok) throw new Error(`Filling failed: ${await response.text()}`);
      }
    };
    await Promise.all([run(), run(), run(), run()]);
    console.log(`  ${action}: ${rows} rows in ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  };
  console.log(`Filling ${size.rows} rows, rescheduled ${size.age} times, ${size.due} of them due`);
  await pass('fill', size.rows);
  for (let round = 0; round <= size.age; round++) await pass('age', size.rows);
  await pass('due', size.due);
}

function report(figures: DrainFigures, expected: number): void {
  const line = (name: string, value: string, goal: string): void =>
    console.log(`  ${name.padEnd(34)} ${value.padStart(12)}   ${goal}`);
  const ms = (values: number[], share: number): string => `${percentile(values, share).toFixed(1)} ms`;
  line('claim (100), p50', ms(figures.claimMs, 0.5), 'to reach: 5 ms');
  line('claim (100), p99', ms(figures.claimMs, 0.99), 'to reach: 25 ms');
  line('claim (100), longest', ms(figures.claimMs, 1), '');
  line('result, p50', ms(figures.resultMs, 0.5), '');
  line('result, p99', ms(figures.resultMs, 0.99), '');
  line('results per second', (figures.resultMs.length / figures.seconds).toFixed(0), 'to reach: 1,000');
  line('jobs granted / due', `${figures.granted} / ${expected}`, 'all');
  line('granted twice', String(figures.twice), 'none');
  line('results refused', String(figures.refused), 'none');
  line('longest time of short claims', `${figures.longestShortMs.toFixed(0)} ms`, 'to reach: 1,000 ms');
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
