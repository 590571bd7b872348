import { defineConfig } from 'vitest/config';

/** What needs a Spark, made by scripts/setup-spark.sh; one server for all files. */
export default defineConfig({
  test: {
    include: ['test/spark/**/*.test.ts'],
    globalSetup: ['test/support/spark-setup.ts'],
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
