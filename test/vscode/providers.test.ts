import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostReport } from './host/suite.ts';
import { patienceMs } from './support/patience.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const driver = `${root}test-results/vscode/host-suite`;

describe('in the extension host of the newest VS Code', () => {
  let kit: TestKit;

  beforeAll(async () => {
    // VS Code runs tests of an extension under development only: this one has nothing but the tests.
    await mkdir(driver, { recursive: true });
    const manifest = { name: 'host-suite', publisher: 'test', version: '0.0.1', engines: { vscode: '^1.100.0' } };
    await writeFile(`${driver}/package.json`, JSON.stringify(manifest));
    await build({
      entryPoints: [`${root}test/vscode/host/suite.ts`],
      outfile: `${driver}/suite.cjs`,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['vscode'],
      logLevel: 'warning',
    });
    // The oldest server does not know this option: there the browser's tests stand alone.
    kit = await startKit('current', { extraArguments: ['--vscode-option', 'enable-smoke-test-driver'] });
  });
  afterAll(() => kit?.stop());

  test('the providers answer as they are asked', async () => {
    const workspace = await kit.copyOf('examples/shop-as-it-was');
    const window = await kit.window();
    const log: string[] = [];
    let ended: number | undefined;
    await window.page.exposeFunction('codeAutomationLog', (type: string, args: readonly unknown[]) => {
      log.push(`${type} ${args.join(' ')}`);
    });
    await window.page.exposeFunction('codeAutomationExit', (code: number) => {
      ended = code;
    });
    const remote = (path: string): string => `vscode-remote://127.0.0.1:${kit.server.port}${path}`;
    await window.page.goto(
      kit.server.url(workspace, undefined, [
        ['extensionDevelopmentPath', remote(driver)],
        ['extensionTestsPath', remote(`${driver}/suite.cjs`)],
        ['skipWelcome', 'true'],
      ]),
    );
    // Every case of the suite has a patience of its own.
    await expect.poll(async () => ended, { timeout: patienceMs * 3, interval: 200 }).toBeDefined();
    const text = await readFile(`${workspace}.report.json`, 'utf8').catch(() => {
      throw new Error(`the suite ended with ${ended} and wrote no report:\n${log.join('\n')}`);
    });
    const { results, activation }: HostReport = JSON.parse(text);
    console.log(`activation (load, activate in ms): ${activation}`);
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    await window.close();
  });
});
