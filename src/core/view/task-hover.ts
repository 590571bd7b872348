import type { TaskFacts } from '../lineage/facts.ts';
import { sliceInWords, windowInWords } from '../lineage/window-words.ts';
import type { Task, TaskSql } from '../pipeline/model.ts';
import { renderTemplate } from '../template/render.ts';
import type { TemplateContext } from '../template/template-context.ts';
import { plural } from '../text/plural.ts';
import type { DataInterval } from '../time/data-interval.ts';
import { toIso } from '../time/iso.ts';
import type { ZoneName } from '../time/zone-name.ts';
import { sliceLabel } from './slice-hints.ts';
import type { SliceVersion } from './slice-version.ts';

export interface TaskHoverInput {
  readonly task: Task;
  readonly facts: TaskFacts;
  readonly interval: { readonly label: string; readonly data: DataInterval } | undefined;
  readonly noGrid: string | undefined;
  readonly zone: ZoneName;
  readonly context: TemplateContext | undefined;
  /** Newest first; empty when nothing is known of what ran. */
  readonly versions: readonly SliceVersion[];
}

/** Long SQL is cut in a hover; the plan shows it whole. */
const mostLines = 40;

/** Interval, slice, read windows, write mode, the rendered SQL and what ran before, as Markdown. */
export function taskHover({ task, facts, interval, noGrid, zone, context, versions }: TaskHoverInput): string {
  const lines = [`**${escapeMarkdown(task.id)}** · ${escapeMarkdown(task.operator)}`, ''];
  if (interval === undefined) lines.push(`No interval: ${noGrid ?? 'unknown'}`);
  else {
    const { start, end } = interval.data;
    lines.push(`Interval **${interval.label}** (${zone}) — UTC ${toIso(start)} to ${toIso(end)}, end not included`);
  }
  for (const write of facts.writes) {
    lines.push('', `Writes \`${write.table}\` — ${write.mode}, ${sliceLabel(write, interval?.data, zone)}`);
    lines.push(`&nbsp;&nbsp;slice ${escapeMarkdown(sliceInWords(write.slice))}`);
    if (write.key.length > 0) lines.push(`&nbsp;&nbsp;key ${write.key.map((column) => `\`${column}\``).join(', ')}`);
  }
  for (const read of facts.reads)
    lines.push('', `Reads \`${read.table}\` — ${escapeMarkdown(windowInWords(read.window))}`);
  if (task.executor.kind !== 'warehouse') lines.push('', `Not run from here: ${escapeMarkdown(task.executor.reason)}`);
  for (const version of versions) lines.push('', versionLine(version));
  if (context !== undefined) for (const sql of task.sql) lines.push('', ...renderedSql(sql, context));
  return lines.join('\n');
}

function versionLine({ table, rows, rowChecksum, state, at }: SliceVersion): string {
  const figures = rows === undefined ? '' : `, ${plural(rows, 'row')}, checksum \`${rowChecksum?.slice(0, 8) ?? '—'}\``;
  return `Last run ${at}: \`${table}\` ${state}${figures}`;
}

function renderedSql({ source }: TaskSql, context: TemplateContext): readonly string[] {
  const rendered = renderTemplate(source.text, context);
  if (!rendered.ok) return [`Cannot be rendered: \`${rendered.expression}\` — ${escapeMarkdown(rendered.reason)}`];
  const lines = withoutMargin(rendered.text);
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

const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|]/g, '\\$&');
