import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { generatedWorkspace, writeWorkspace } from '../generated-workspace.ts';
import { measuredCommand } from '../measured-process.ts';
import { quotient, ratio, rounds } from '../rounds.ts';

const files = Number(process.env.BENCH_SQLFLUFF_FILES ?? 200);
/** Where `scripts/setup-sqlfluff.sh` installs it. */
const program = join(process.cwd(), '.venv-sqlfluff/bin/sqlfluff');

/** The same SQL files read and judged by the built program and by SQLFluff, each in one process and from nothing. */
export async function sqlfluff(): Promise<readonly Figure[]> {
  if (!existsSync(program)) {
    console.error('SKIPPED: SQLFluff is not installed; scripts/setup-sqlfluff.sh installs it from a package index');
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'backfill-sqlfluff-'));
  try {
    const texts = [...generatedWorkspace(3 * files)].filter(([path]) => path.endsWith('.sql')).slice(0, files);
    writeWorkspace(folder, new Map([...texts, ['.sqlfluff', settings]]));
    const samples = await rounds(1, {
      ours: () => measuredCommand(['check', folder, '--format', 'json']),
      theirs: () => lint(folder),
    });
    return [
      {
        part: 'sqlfluff',
        what: `${texts.length} SQL files, ÷ SQLFluff`,
        value: ratio(samples.ours, samples.theirs),
        unit: '×',
        atMost: 1 / 50,
        detail: quotient(samples.ours, samples.theirs),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Its templates need a value for each name. */
const settings = `[sqlfluff]
dialect = postgres
templater = jinja

[sqlfluff:templater:jinja:context]
data_interval_start = 2026-01-01
data_interval_end = 2026-01-02
`;

/** Ends with 1 where it has found something. */
function lint(folder: string): void {
  const done = spawnSync(program, ['lint', '--processes', '1', '--format', 'json', '--disable-progress-bar', folder], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  const seen = (JSON.parse(done.stdout || '[]') as readonly unknown[]).length;
  if ((done.status !== 0 && done.status !== 1) || seen < files)
    throw new Error(`SQLFluff ended with ${done.status} and ${seen} files: ${done.stderr.slice(-2000)}`);
}
