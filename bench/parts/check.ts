import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspaceIndex } from '../../src/core/lineage/workspace/workspace-index.ts';
import { createWorkspaceChecker } from '../../src/core/lint/check.ts';
import { createWorkspaceReader } from '../../src/core/pipeline/workspace/read-workspace.ts';
import { plannableTasks } from '../../src/core/plan/tasks/plannable-tasks.ts';
import { emptyConfig } from '../../src/node/config/config.ts';
import { digest } from '../../src/node/digest.ts';
import { liveFiles } from '../../src/node/files/live-files.ts';
import { readerOptions } from '../../src/node/load-workspace.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';
import { cpuMs } from '../cpu-ms.ts';
import { type Figure, figureOf } from '../figure.ts';
import { dagText, generatedTasks, generatedWorkspace, longSqlFile, writeWorkspace } from '../generated-workspace.ts';
import { type MeasuredProcess, measuredCommand } from '../measured-process.ts';
import { median, rounds } from '../rounds.ts';
import { sharedImportsWorkspace } from '../shared-imports-workspace.ts';

const figure = figureOf('check');

const files = 1500;
const manyTasks = 30_000;
const longPath = 'dags/long.py';

/**
 * A large workspace from the command line, one edit of it, typing in a long DAG file, and loops that make very many
 * tasks. Processor time is what a busy machine does not change much; the time that passed stands beside it.
 */
export async function check(): Promise<readonly Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'backfill-bench-'));
  try {
    const place = (name: string) => join(parent, name);
    const [large, single, many] = [place('large'), place('single'), place('many')];
    const [shared, twice, sql] = [place('shared'), place('twice'), place('sql')];
    const texts = generatedWorkspace(files);
    writeWorkspace(large, texts);
    const long = dagText(0, 30);
    writeWorkspace(single, new Map([[longPath, long]]));
    writeWorkspace(many, generatedTasks(manyTasks));
    const sqlFiles = longSqlFile(44);
    const sqlPath = 'dags/team_0/sql/load_0.sql';
    const longSql = sqlFiles.get(sqlPath) ?? '';
    writeWorkspace(sql, sqlFiles);
    writeWorkspace(shared, sharedImportsWorkspace(files));
    writeWorkspace(twice, sharedImportsWorkspace(2 * files));
    const cold: MeasuredProcess[] = [];
    for (let round = 0; round < 3; round++) cold.push(await checked(large));
    const loops = await checked(many);
    const imports = await checked(shared);
    const moreImports = await checked(twice);
    const edited = 'dags/team_4/dag_4.py';
    const afterEdit = await afterEdits(large, edited, texts.get(edited) ?? '', 'count(*)');
    const keystroke = await afterEdits(single, longPath, long, 'count(*)');
    const inSql = await afterEdits(sql, sqlPath, longSql, 'coalesce(');
    const lines = long.split('\n').length;
    const first = (typed: { readonly first: number }) => `${typed.first.toFixed(0)} ms of the first forty`;
    const passed = (ms: readonly number[]) => `${(median(ms) / 1000).toFixed(1)} s passed`;
    return [
      figure(
        `${files} files, cold, processor time`,
        median(cold.map(({ cpuMs: ms }) => ms)) / 1000,
        's',
        10,
        passed(cold.map(({ ms }) => ms)),
      ),
      figure(`${files} files, memory`, median(cold.map(({ kilobytes }) => kilobytes)) / 1000, 'MB', 300),
      figure(
        `${files} Python files that share modules, processor time`,
        imports.cpuMs / 1000,
        's',
        10,
        passed([imports.ms]),
      ),
      figure(`${files} Python files that share modules, memory`, imports.kilobytes / 1000, 'MB', 300),
      figure('twice as many of them, processor time', moreImports.cpuMs / imports.cpuMs, '×', 2.2),
      figure(`${files} files, after one edit, processor time`, afterEdit.findings, 'ms', 100, first(afterEdit)),
      figure(`${files} files, tasks to plan after one edit`, afterEdit.tasks, 'ms', undefined),
      figure(`keystroke, DAG of ${lines} lines, processor time`, keystroke.findings, 'ms', 25, first(keystroke)),
      figure(
        `keystroke, SQL file of ${longSql.split('\n').length} lines, processor time`,
        inSql.findings,
        'ms',
        25,
        first(inSql),
      ),
      figure(
        `${manyTasks} tasks of loops, cold, processor time`,
        loops.cpuMs / 1000,
        's',
        undefined,
        passed([loops.ms]),
      ),
      figure(`${manyTasks} tasks of loops, memory`, loops.kilobytes / 1000, 'MB', undefined),
    ];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

async function checked(root: string): Promise<MeasuredProcess> {
  const done = await measuredCommand(['check', root, '--format', 'json']);
  const found = (JSON.parse(done.output) as { findings: readonly unknown[] }).findings.length;
  if (done.code !== 1 || found === 0) throw new Error(`check ended with ${done.code} and ${found} findings`);
  return done;
}

/** From the text of an open editor to all findings of its workspace; every time another character is typed. */
async function afterEdits(
  root: string,
  path: string,
  text: string,
  before: string,
): Promise<{ findings: number; first: number; tasks: number }> {
  const live = liveFiles(root);
  const reader = createWorkspaceReader(await loadPythonParser(), readerOptions(emptyConfig));
  const index = createWorkspaceIndex();
  const checker = createWorkspaceChecker();
  const at = text.indexOf(before);
  const facts = () => index.update(reader.read(live.files), new Map());
  const samples = await rounds(
    121,
    {
      findings: (round) => {
        live.cover(path, `${text.slice(0, at)}${'count(*) + '.slice(0, round % 11)}${text.slice(at)}`);
        return checker.start(facts(), { severities: {} }).findings();
      },
      tasks: { before: facts, run: () => plannableTasks(facts(), digest) },
    },
    cpuMs,
  );
  // The first words that are typed are still interpreted; whoever writes on has the others.
  const [first, warm] = [samples.findings.slice(0, 40), samples.findings.slice(40)];
  return { findings: median(warm), first: median(first), tasks: median(samples.tasks) };
}
