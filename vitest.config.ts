import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', testTimeout: 60_000, include: ['test/unit/**/*.test.ts', 'test/golden/**/*.test.ts'] } },
      {
        test: {
          name: 'warehouses',
          include: ['test/warehouses/**/*.test.ts'],
          globalSetup: ['test/support/postgres-setup.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
    maxWorkers: 2,
  },
});
