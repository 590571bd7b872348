import { defineConfig } from 'vitest/config';

/** What needs engines that npm cannot install: real Airflows, made by scripts/setup-airflow.sh. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
