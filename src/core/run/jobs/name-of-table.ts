import type { ReadFact, WriteFact } from '../../lineage/facts/facts.ts';
import { nameFor } from '../../lineage/facts/table-naming.ts';
import type { Task } from '../../pipeline/model/model.ts';
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
  const environment = task.sql.find((sql) => sql.environment !== undefined)?.environment;
  let name = '';
  for (const part of naming.parts) {
    if (typeof part === 'string') {
      name += part;
      continue;
    }
    const rendered = renderTemplate(`{{ ${part.source} }}`, context, environment);
    // What the template has set before: its meaning is known, its text is not at hand.
    if (!rendered.ok) return nameFor(naming, context.interval);
    name += part.folds ? rendered.text.toLowerCase() : rendered.text;
  }
  return name;
}
