import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertCleanLog, bootPrerender, type BootedPrerender } from './harness/instance.ts';
import { waitFor } from './harness/wait-for.ts';

const url = (n: number): string => `https://shop.example/product/${n}`;

let booted: BootedPrerender;

beforeAll(async () => {
  booted = await bootPrerender({
    options: {
      domains: ['shop.example'],
      ingress: { routes: [{ match: 'prefix', path: '/product/', mode: 'prerender' }] },
      render: { repair: { interval: 1_000 } },
      analytics: { coverageInterval: 10_000 },
    },
  });
});

afterAll(() => booted?.stop());

const dueTimes = async (): Promise<Map<string, number>> => {
  const rows = await booted.instance.operation<{ url: string; nextRenderTime: number }[]>({
    operation: 'search_by_value',
    database: 'render_schedule',
    table: 'RenderSchedule',
    search_attribute: 'url',
    search_value: '*',
    get_attributes: ['url', 'nextRenderTime'],
  });
  return new Map(rows.map((row) => [row.url, row.nextRenderTime]));
};

describe('the repair', () => {
  it('gives each Target without a schedule row a new one', async () => {
    const urls = Array.from({ length: 20 }, (_, n) => url(n));
    for (const one of urls) {
      const added = await booted.instance.request(`/Target/${one}`, {
        method: 'PUT',
        auth: true,
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(added.ok).toBe(true);
    }
    await waitFor(async () => (await dueTimes()).size === urls.length, { what: 'the schedule', limitMs: 10_000 });
    const lost = urls.slice(5, 15);
    await booted.instance.operation({
      operation: 'delete',
      database: 'render_schedule',
      table: 'RenderSchedule',
      ids: lost,
    });
    await waitFor(async () => (await dueTimes()).size === urls.length, { what: 'the lost rows', limitMs: 20_000 });
  });

  it('leaves a clean log', () => {
    assertCleanLog(booted.instance);
  });
});
