import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFolder } from './built-folder.ts';

/** What a process used until its end. */
export interface ProcessUsage {
  /** The most memory that it held at once. */
  readonly kilobytes: number;
  /** Processor time of all its threads. */
  readonly cpuMs: number;
}

export interface MeasuredProcess extends ProcessUsage {
  readonly ms: number;
  readonly code: number | null;
  readonly output: string;
}

const usageFile = fileURLToPath(new URL('process-usage.mjs', import.meta.url));

/** Runs the built program in a process of its own, with these variables beside those of this process. */
export async function measuredCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', usageFile, join(builtFolder, 'cli.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  });
  let [output, usage] = ['', ''];
  child.stdio[1]?.on('data', (chunk) => {
    output += chunk;
  });
  child.stdio[3]?.on('data', (chunk) => {
    usage += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { ms: performance.now() - startedAt, code, output, ...(JSON.parse(usage) as ProcessUsage) };
}
