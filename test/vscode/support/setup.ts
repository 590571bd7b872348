import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { loadSampleWarehouse } from '../../../scripts/sample-warehouse.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** A copy of `examples/shop` with its embedded database loaded; copied again by each test that writes. */
    loadedShop: string;
  }
}

/** Loads the sample warehouse once, and forgets what failed the last time. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const results = join(root, 'test-results/vscode');
  await mkdir(results, { recursive: true });
  for (const name of await readdir(results)) {
    if (name.startsWith('failed-') || name.endsWith('.log')) await rm(join(results, name));
  }
  const folder = await mkdtemp(join(tmpdir(), 'backfill-shop-'));
  const shop = join(folder, 'shop');
  await cp(join(root, 'examples/shop'), shop, { recursive: true, filter: (path) => !path.includes('.backfill') });
  await loadSampleWarehouse(shop);
  project.provide('loadedShop', shop);
  return () => rm(folder, { recursive: true, force: true });
}
