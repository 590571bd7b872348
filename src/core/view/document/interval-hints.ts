import type { TaskSql } from '../../pipeline/model/model.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { locate } from '../../text/mapped-text.ts';
import type { HintView } from './document-view.ts';

/** A longer value is shown in the tooltip only. */
const mostShown = 32;

/** Each interval expression of the SQL that stands in the file, with its value for the selected interval. */
export function intervalHints(
  sql: TaskSql,
  file: string,
  context: TemplateContext,
  intervalLabel: string,
): readonly HintView[] {
  return sql.masked.holes.flatMap((hole): readonly HintView[] => {
    if (hole.origin !== 'template' || hole.value.kind !== 'time') return [];
    const at = locate(sql.source, hole);
    if (at?.file !== file) return [];
    const rendered = renderTemplate(sql.source.text.slice(hole.start, hole.end), context, sql.environment);
    if (!rendered.ok || rendered.text.length > mostShown) return [];
    return [
      {
        offset: at.end,
        label: `⟶ ${rendered.text}`,
        tooltip: `${hole.source} of the interval ${intervalLabel}`,
        kind: 'interval',
      },
    ];
  });
}
