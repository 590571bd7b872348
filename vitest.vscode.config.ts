import { defineConfig } from 'vitest/config';

/** The packaged extension in real VS Codes. One at a time: each takes a machine's worth of work. */
export default defineConfig({
  test: {
    include: ['test/vscode/**/*.test.ts'],
    exclude: ['test/vscode/servers/**'],
    globalSetup: ['test/vscode/support/setup.ts'],
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
