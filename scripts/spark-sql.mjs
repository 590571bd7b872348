// Statements for a Spark Connect server, sent by the product's own client: there is no other one here.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = `
export { ConnectClient } from './src/warehouses/spark/connect-client.ts';
export { parseConnectUrl } from './src/warehouses/spark/connect-url.ts';
export { SparkSession } from './src/warehouses/spark/spark-session.ts';`;

/** A session: `sql` sends statements in turn and gives the rows of the last one. */
export async function sparkSql(url) {
  // Within the repository, where its packages are found.
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, 'node_modules/.cache/backfill-spark-sql-'));
  const outfile = join(folder, 'client.mjs');
  try {
    await build({
      stdin: { contents: entry, resolveDir: root, loader: 'ts' },
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    });
    const { ConnectClient, parseConnectUrl, SparkSession } = await import(pathToFileURL(outfile).href);
    const client = new ConnectClient(parseConnectUrl(url), undefined, 'demo');
    const session = new SparkSession(client, () => client.close());
    return {
      async sql(...statements) {
        let rows = [];
        for (const statement of statements) rows = (await session.query(statement)).rows;
        return rows;
      },
      close: () => session.close(),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
