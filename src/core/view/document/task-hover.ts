import type { TaskFacts, Unknown } from '../../lineage/facts/facts.ts';
import type { Task, TaskSql } from '../../pipeline/model/model.ts';
import { bindText } from '../../run/bind/bind-text.ts';
import { chooseSnapshots, type SnapshotChoice } from '../../run/jobs/read-snapshots.ts';
import { substituteTables } from '../../run/jobs/snapshot-statements.ts';
import type { JobRefusal } from '../../run/unit/job-refusal.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { plural } from '../../text/plural.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { formatWall } from '../../time/intervals/format-interval.ts';
import { instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { escapeMarkdown } from '../words/markdown.ts';
import { sessionInWords } from '../words/session-words.ts';
import type { SliceVersion } from '../words/slice-version.ts';
import { readLine, writeLine } from './fact-hovers.ts';
import type { PlaceLink } from './hover-links.ts';
import type { SqlFileLink } from './sql-file-links.ts';

export interface TaskHoverInput {
  readonly task: Task;
  readonly facts: TaskFacts;
  readonly interval: { readonly label: string; readonly data: DataInterval } | undefined;
  readonly noGrid: string | undefined;
  readonly zone: ZoneName;
  readonly context: TemplateContext | undefined;
  readonly link: PlaceLink;
  /** Address that declares the task in `backfill.yaml`. */
  readonly declare: string;
  /** Newest first; empty when nothing is known of what ran. */
  readonly versions: readonly SliceVersion[];
}

/** Long SQL is cut in a hover; the plan shows it whole. */
const mostLines = 40;

/** Interval, slices and windows with where they were said, what is not known, the rendered SQL and what ran before. */
export function taskHover(input: TaskHoverInput): string {
  const { task, facts, interval, noGrid, zone, context, versions, link } = input;
  const lines = [`**${escapeMarkdown(task.id)}** · ${escapeMarkdown(task.operator)}`, ''];
  if (interval === undefined) lines.push(`No interval: ${noGrid ?? 'unknown'}`);
  else {
    const { start, end } = interval.data;
    lines.push(`Interval **${interval.label}** (${zone}) — UTC ${toIso(start)} to ${toIso(end)}, end not included`);
  }
  const said = { task, data: interval?.data, zone, link };
  for (const write of facts.writes) lines.push('', writeLine(write, said));
  for (const read of facts.reads) lines.push('', readLine(read, said));
  for (const { message, at } of facts.unknowns.filter((unknown) => !isSaidOfRead(unknown, facts))) {
    lines.push('', `Not known: ${escapeMarkdown(message)}${at === undefined ? '' : ` — ${link(at)}`}`);
  }
  if (facts.unknowns.length > 0) lines.push('', `[Declare in backfill.yaml](${input.declare})`);
  if (task.executor.kind !== 'warehouse') lines.push('', `Not run from here: ${escapeMarkdown(task.executor.reason)}`);
  const session = sessionInWords(task);
  if (session.length > 0) lines.push('', `Session: ${session.map(escapeMarkdown).join(', ')}`);
  for (const version of versions) lines.push('', versionLine(version));
  if (context !== undefined) {
    const snapshots = chooseSnapshots(facts.reads, task, context);
    for (const sql of task.sql) lines.push('', ...renderedSql(sql, context, snapshots));
  }
  return lines.join('\n');
}

/** The line of a read says by itself why its window is not known. */
const isSaidOfRead = ({ about, table }: Unknown, { reads }: TaskFacts): boolean =>
  about === 'window' && reads.some((read) => read.table === table && read.window.kind === 'unknown');

function versionLine({ table, rows, rowChecksum, state, at }: SliceVersion): string {
  const when = `${formatWall(instant(at), 'UTC').slice(0, 16)} UTC`;
  const figures = rows === undefined ? '' : `, ${plural(rows, 'row')}, checksum \`${rowChecksum?.slice(0, 8) ?? '—'}\``;
  return `Last run ${when}: \`${table}\` ${state}${figures}`;
}

/** Over the name of a SQL file: what it is for the selected interval. */
export function sqlFileHover(
  task: Task,
  { reads }: TaskFacts,
  { file, sql }: SqlFileLink,
  context: TemplateContext | undefined,
  label: string | undefined,
): string {
  const head = `**${escapeMarkdown(file)}**${label === undefined ? '' : ` for ${label}`}`;
  if (context === undefined) return head;
  return [head, '', ...renderedSql(sql, context, chooseSnapshots(reads, task, context))].join('\n');
}

function renderedSql(
  sql: TaskSql,
  context: TemplateContext,
  snapshots: readonly SnapshotChoice[] | JobRefusal,
): readonly string[] {
  if ('remedy' in snapshots) return [`Cannot be run: ${escapeMarkdown(snapshots.message)}`];
  const { source, environment, dialect } = sql;
  // Nobody sends it: it says in SQL what calls of Python come to.
  if (sql.composed !== undefined)
    return ['What its calls come to, in SQL:', '', '```sql', ...withoutMargin(source.text).slice(0, mostLines), '```'];
  const rendered = renderTemplate(source.text, context, environment);
  if (!rendered.ok) return [`Cannot be rendered: \`${rendered.expression}\` — ${escapeMarkdown(rendered.reason)}`];
  const bound = bindText(sql, rendered.text, context);
  if (!bound.ok) return [`Cannot be run: ${escapeMarkdown(bound.reason)}`];
  const lines = withoutMargin(substituteTables(bound.text, dialect, snapshots).text);
  const shown =
    lines.length > mostLines ? [...lines.slice(0, mostLines), `-- … ${lines.length - mostLines} more lines`] : lines;
  return ['```sql', ...shown, '```'];
}

/** Lines of a text without the indentation that they share, and without blank lines around them. */
function withoutMargin(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  const filled = lines.filter((line) => line.trim() !== '');
  const margin = Math.min(...filled.map((line) => line.search(/\S/)));
  const first = lines.indexOf(filled[0] ?? '');
  const last = lines.lastIndexOf(filled.at(-1) ?? '');
  return lines.slice(first, last + 1).map((line) => line.slice(margin).trimEnd());
}
