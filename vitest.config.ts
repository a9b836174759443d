import { defineConfig } from 'vitest/config';

const project = (name: string, timeout: number, maxWorkers: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeout,
    hookTimeout: timeout,
    pool: 'forks' as const,
    maxWorkers,
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', 10_000, 2),
      project('contract', 30_000, 2),
      { test: { ...project('shop', 20_000, 2).test, include: ['test/shop/**/*.test.ts'] } },
      // Each file boots real instances; one file at a time keeps two cores responsive.
      project('harper', 120_000, 1),
      project('cluster', 240_000, 1),
      project('browser', 180_000, 1),
    ],
  },
});
