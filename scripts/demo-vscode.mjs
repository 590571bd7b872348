// Serves a loaded copy of the sample shop with the packaged extension in the newest VS Code, for a browser on this
// machine. `npm run demo -- --vscode` starts it with the Node of that VS Code, which reads TypeScript by itself.
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVsCode } from '../test/vscode/support/vs-code-server.ts';
import { loadSampleWarehouse } from './sample-warehouse.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'backfill-demo-'));
let server;

const stop = async (code) => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop(0));

try {
  console.log('packaging the extension');
  execFileSync('npm', ['run', '--silent', 'package'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  console.log('loading 100,000 orders of 90 days into the embedded database');
  const shop = join(folder, 'shop');
  await cp(join(root, 'examples/shop'), shop, { recursive: true, filter: (path) => !path.includes('.backfill') });
  await loadSampleWarehouse(shop);
  server = await startVsCode({
    version: 'current',
    extensions: [join(root, 'dist/backfill-assistant.vsix')],
    userSettings: {
      'git.openRepositoryInParentFolders': 'never',
      'chat.disableAIFeatures': true,
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'workbench.startupEditor': 'none',
    },
    environment: {},
    logFile: join(folder, 'vscode.log'),
  });
  console.log(`\nOpen ${server.url(shop, `${shop}/dags/shop_daily.py`)}`);
  console.log(
    'Click “Rerun this interval” above a task. Vouchers were forgotten on weekends: rerun one to see rows change.',
  );
  console.log('Ctrl-C stops the server and removes the copy.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await stop(1);
}
