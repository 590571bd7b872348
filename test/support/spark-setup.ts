import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startSpark } from '../../scripts/spark-server.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    spark: { readonly url: string };
  }
}

/** One server for the whole suite, or the one at `SPARK_REMOTE`; each test file makes a schema of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env.SPARK_REMOTE;
  if (running !== undefined) {
    project.provide('spark', { url: running });
    return async () => {};
  }
  const folder = mkdtempSync(join(tmpdir(), 'backfill-spark-'));
  const { url, stop } = await startSpark(folder);
  project.provide('spark', { url });
  return async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
