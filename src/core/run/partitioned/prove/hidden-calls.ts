import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';
import { stageName } from '../../../warehouse/dialects/spark/stage-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { Stage } from '../compare/stage.ts';
import type { LakeTarget } from '../target/lake-table.ts';
import type { Overwrite } from '../target/overwrite.ts';

const moving =
  /\b(current_timestamp|current_date|localtimestamp|now|unix_timestamp|rand|randn|random|uuid|shuffle|monotonically_increasing_id|input_file_name)\(/g;

/**
 * Calls that may give another result in another run, that Spark's plan shows and that do not stand in the statements themselves: those
 * inside of views. `task`: the session in which they were run.
 */
export async function hiddenCalls(
  task: Session,
  { file }: LakeTarget,
  stage: Stage,
  { before, insert, into }: Overwrite,
): Promise<readonly string[]> {
  const { rows } = await task.query(`explain extended ${into(stageName(file, stage.name))}`);
  const plan = rows.flat().join('\n');
  const analyzed = /== Analyzed Logical Plan ==(.*?)(?:== Optimized|$)/s.exec(plan)?.[1] ?? '';
  const names = new Set([...analyzed.matchAll(moving)].map(([, name]) => String(name)));
  const visible = new Set(
    [...before, insert].flatMap(({ text }) =>
      readSql(plainText(text), 'spark').statements.flatMap(({ nondeterministic }) =>
        nondeterministic.map(({ name }) => name.toLowerCase()),
      ),
    ),
  );
  const isVisible = (name: string): boolean =>
    visible.has(name) || (clocks.has(name) && [...clocks].some((one) => visible.has(one)));
  return [...names].filter((name) => !isVisible(name)).map((name) => `${name} inside a view`);
}

/** The plan shows one of them under the name of another. */
const clocks: ReadonlySet<string> = new Set(['current_timestamp', 'now', 'current_date', 'localtimestamp']);
