import { defineConfig } from 'vitest/config';

const setupFiles = ['test/support/laws.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          testTimeout: 60_000,
          include: ['test/unit/**/*.test.ts', 'test/golden/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'warehouses',
          setupFiles,
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
