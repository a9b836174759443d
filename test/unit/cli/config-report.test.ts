import { describe, expect, it } from 'vitest';
import { configLines, outcomeLines, readConfigReport } from '../../../src/cli/config-report.ts';
import type { ConfigReport } from '../../../src/cli/config-report.ts';

const GOOD: ConfigReport = {
  options: [
    { path: 'domains', value: ['a.example'], layer: 'config.yaml' },
    { path: 'page.swrTtl', value: 1_000, layer: 'the defaults' },
  ],
  problems: [],
  pending: [],
};
const withSwr = (value: number): ConfigReport => ({
  ...GOOD,
  options: GOOD.options.map((option) => (option.path === 'page.swrTtl' ? { ...option, value } : option)),
});
const misspelt = { severity: 'error', text: '`page.swrTl` is unknown.' } as const;
const doubtful = { severity: 'warning', text: '`domains` is odd.' } as const;

describe('what is told about a configuration', () => {
  it('is nothing when all is well', () => {
    expect(configLines(GOOD)).toEqual([]);
  });

  it('has errors first, then warnings, then what waits for a restart', () => {
    expect(configLines({ ...GOOD, problems: [doubtful, misspelt], pending: [{ text: '`a` stays 1' }] })).toEqual([
      'Error: `page.swrTl` is unknown.',
      'Warning: `domains` is odd.',
      'Waits: `a` stays 1',
    ]);
  });
});

describe('what came of a changed file', () => {
  it('is in force, with the options that have changed', () => {
    expect(outcomeLines('host.yaml', GOOD, withSwr(2))).toEqual([
      'host.yaml has changed and is in force: page.swrTtl.',
    ]);
  });

  it('is in force with what is doubtful about it', () => {
    expect(outcomeLines('host.yaml', GOOD, { ...withSwr(2), problems: [doubtful] })).toEqual([
      'host.yaml has changed and is in force: page.swrTtl. But:',
      '  Warning: `domains` is odd.',
    ]);
  });

  it('was refused, with the reasons', () => {
    expect(outcomeLines('host.yaml', GOOD, { ...GOOD, problems: [misspelt] })).toEqual([
      'host.yaml has changed and was refused:',
      '  Error: `page.swrTl` is unknown.',
    ]);
  });

  it('is nothing when it is what was there before, good or bad', () => {
    const same = 'host.yaml has changed and was passed on; no option in force is another than before';
    expect(outcomeLines('host.yaml', { ...GOOD, problems: [misspelt] }, GOOD)).toEqual([`${same}.`]);
    const bad = { ...GOOD, problems: [misspelt] };
    expect(outcomeLines('host.yaml', bad, bad)).toEqual([`${same}:`, '  Error: `page.swrTl` is unknown.']);
  });
});

describe('the configuration of an instance', () => {
  it('is asked for as super user', async () => {
    const asked: unknown[] = [];
    const report = await readConfigReport({
      async request(path, init) {
        asked.push(path, init?.auth);
        return Response.json(GOOD);
      },
    });
    expect(report).toEqual(GOOD);
    expect(asked).toEqual(['/prerender_admin/config', true]);
  });

  it('that cannot be had says why', async () => {
    const request = async () => new Response('no', { status: 401 });
    await expect(readConfigReport({ request })).rejects.toThrow('/prerender_admin/config answers 401: no');
  });
});
