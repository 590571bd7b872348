import type { ReadFact, WriteFact } from '../../lineage/facts/facts.ts';
import { type NamePart, nameFor } from '../../lineage/facts/table-naming.ts';
import type { Task, TaskSql } from '../../pipeline/model/model.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';

/**
 * The name of a table in one interval, as its statements have it once they are rendered. `undefined`: a part of it
 * cannot be rendered by itself.
 */
export function nameOfTable(
  { table, naming }: Pick<ReadFact | WriteFact, 'table' | 'naming'>,
  task: Task,
  context: TemplateContext,
): string | undefined {
  if (naming === undefined) return table;
  const texts = task.sql.filter(({ masked }) => naming.parts.every((part) => isSaidIn(masked.holes, part)));
  const environment = task.sql.find((sql) => sql.environment !== undefined)?.environment;
  let name = '';
  for (const part of naming.parts) {
    if (typeof part === 'string') {
      name += part;
      continue;
    }
    const rendered = renderTemplate(`{{ ${part.source} }}`, context, environment);
    // What the template has set before its statements holds behind them.
    const text = rendered.ok ? rendered.text : renderedBehind(part.source, texts, context);
    if (text === undefined) return nameFor(naming, context.interval);
    name += part.folds ? text.toLowerCase() : text;
  }
  return name;
}

const isSaidIn = (holes: readonly Hole[], part: string | NamePart): boolean =>
  typeof part === 'string' || holes.some(({ source }) => source === part.source);

function renderedBehind(source: string, texts: readonly TaskSql[], context: TemplateContext): string | undefined {
  for (const sql of texts) {
    const whole = renderTemplate(`${sql.source.text}${mark}{{ ${source} }}`, context, sql.environment);
    if (whole.ok) return whole.text.slice(whole.text.lastIndexOf(mark) + mark.length);
  }
  return undefined;
}

/** No SQL has it. */
const mark = '\u0001';
