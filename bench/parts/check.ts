import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWorkspaceFacts } from '../../src/core/lineage/build-workspace-facts.ts';
import { checkWorkspace } from '../../src/core/lint/check.ts';
import { createWorkspaceReader } from '../../src/core/pipeline/read-workspace.ts';
import { emptyConfig } from '../../src/node/config/config.ts';
import { liveFiles } from '../../src/node/live-files.ts';
import { readerOptions } from '../../src/node/load-workspace.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';
import { builtFolder } from '../built-folder.ts';
import type { Figure } from '../figure.ts';
import { dagText, generatedWorkspace, writeWorkspace } from '../generated-workspace.ts';
import { median, rounds } from '../rounds.ts';

const files = 1500;
const maxMemory = fileURLToPath(new URL('max-memory.mjs', import.meta.url));

/** A large workspace from the command line, then one edit of it, and typing in a long DAG file. */
export async function check(): Promise<readonly Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'backfill-bench-'));
  try {
    const large = join(parent, 'large');
    const texts = generatedWorkspace(files);
    writeWorkspace(large, texts);
    const cold: { ms: number; kilobytes: number }[] = [];
    for (let round = 0; round < 3; round++) cold.push(await checkCommand(large));
    const seconds = median(cold.map(({ ms }) => ms)) / 1000;
    const long = longDag();
    const single = join(parent, 'single');
    writeWorkspace(
      single,
      new Map([
        [longPath, long],
        ['requirements.txt', 'apache-airflow==2.10.4\n'],
      ]),
    );
    const edited = 'dags/team_4/dag_4.py';
    const part = 'check';
    const figure = (
      what: string,
      value: number,
      unit: Figure['unit'],
      atMost: number | undefined,
      detail = '',
    ): Figure => ({
      part,
      what,
      value,
      unit,
      atMost,
      detail,
    });
    return [
      figure(`${files} files, cold`, seconds, 's', 10, `${(files / seconds).toFixed(0)} files a second`),
      figure(`${files} files, memory`, median(cold.map(({ kilobytes }) => kilobytes)) / 1000, 'MB', 300),
      figure(`${files} files, after one edit`, await afterEdits(large, edited, texts.get(edited) ?? ''), 'ms', 100),
      figure(`keystroke, DAG of ${long.split('\n').length} lines`, await afterEdits(single, longPath, long), 'ms', 25),
    ];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

const longPath = 'dags/long.py';
const longDag = (): string => dagText(0, 30);

/** The built program in a process of its own, with the most memory that it held. */
async function checkCommand(root: string): Promise<{ ms: number; kilobytes: number }> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', maxMemory, join(builtFolder, 'cli.js'), 'check', root, '--format', 'json'],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    },
  );
  let [findings, memory] = ['', ''];
  child.stdio[1]?.on('data', (chunk) => {
    findings += chunk;
  });
  child.stdio[3]?.on('data', (chunk) => {
    memory += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const ms = performance.now() - startedAt;
  const found = (JSON.parse(findings) as { findings: readonly unknown[] }).findings.length;
  if (code !== 1 || found === 0) throw new Error(`check ended with ${code} and ${found} findings`);
  return { ms, kilobytes: Number(memory) };
}

/** From the text of an open editor to all findings of its workspace; every time another character is typed. */
async function afterEdits(root: string, path: string, text: string): Promise<number> {
  const live = await liveFiles(root);
  const reader = createWorkspaceReader(await loadPythonParser(), readerOptions(emptyConfig));
  const at = text.indexOf('count(*)');
  const samples = await rounds(21, {
    edit: (round) => {
      live.cover(path, `${text.slice(0, at)}${'count(*) + '.slice(0, round % 11)}${text.slice(at)}`);
      return checkWorkspace(buildWorkspaceFacts(reader.read(live.files), new Map()), { severities: {} });
    },
  });
  return median(samples.edit);
}
