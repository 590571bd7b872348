import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import type { OneUnit } from './run-one-unit.ts';

/** How the process of one unit ended. */
export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly outcome?: UnitOutcome;
  readonly refused?: string;
  readonly statements?: number;
}

/** `run-one-unit.ts` as a program. */
export interface OneUnitProgram {
  start(request: OneUnit): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  remove(): void;
}

/** The program stands where its packages are found, with the engine's worker beside it as in a build. */
export async function buildOneUnitProgram(): Promise<OneUnitProgram> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, 'node_modules/.cache/one-unit-'));
  await build({
    entryPoints: [join(root, 'test/support/run-one-unit.ts')],
    outfile: join(folder, 'run-one-unit.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  cpSync(join(root, 'src/warehouses/pglite/pglite-worker.mjs'), join(folder, 'pglite-worker.mjs'));
  return {
    start(request) {
      const child = spawn(process.execPath, [join(folder, 'run-one-unit.mjs'), JSON.stringify(request)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      const ended = new Promise<Ended>((resolve) => {
        child.once('close', (_code, signal) => resolve({ signal, ...(out === '' ? {} : JSON.parse(out)) }));
      });
      return { child, ended };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
