import { defineConfig } from 'vitest/config';

const setupFiles = ['test/support/laws.ts'];

/**
 * The last resort for what hangs: whatever waits in a test waits for a condition (`test/support/patience.ts`), and a
 * machine that is busy with other things is no failure.
 */
const lastResort = { testTimeout: 3_600_000, hookTimeout: 3_600_000 };

const servers = { setupFiles, globalSetup: ['test/support/postgres-setup.ts'], ...lastResort };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['test/unit/**/*.test.ts', 'test/golden/**/*.test.ts'],
          // The code under test is pure: what one file imported another may use.
          isolate: false,
          ...lastResort,
        },
      },
      // What every engine must hold, in a few minutes: part of `npm test`.
      {
        test: {
          name: 'contract',
          include: ['test/warehouses/contract/**/*.test.ts'],
          fileParallelism: false,
          ...servers,
        },
      },
      // The rest: laws, faults, crashes, whole programs; part of `npm run test:all`. Two files at a time: one of them
      // waits for its server most of the while.
      {
        test: {
          name: 'warehouses',
          include: ['test/warehouses/**/*.test.ts'],
          exclude: ['test/warehouses/contract/**'],
          ...servers,
        },
      },
    ],
    maxWorkers: 2,
  },
});
