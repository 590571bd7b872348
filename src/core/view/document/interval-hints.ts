import type { TaskSql } from '../../pipeline/model/model.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { locate } from '../../text/mapped-text.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { HintView } from './document-view.ts';

/** A longer value is shown by a hover only: half of one says nothing. */
const mostShown = 32;

/** A midnight as its date, and no seconds where there are none; anything else as it is rendered. One in UTC is that of a pipeline in UTC alone. */
export const shortTime = (text: string, zone: ZoneName): string =>
  text
    .replace(
      zone === 'UTC'
        ? /^(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:\+00:?00|Z)?$/
        : /^(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?$/,
      '$1',
    )
    .replace(/^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d):00(?:\.0+)?(?=$|[+Z-])/, '$1');

/** Each interval expression of the SQL that stands in the file, with its value for the selected interval. */
export function intervalHints(
  sql: TaskSql,
  file: string,
  context: TemplateContext,
  intervalLabel: string,
  zone: ZoneName,
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
        label: `⟶ ${shortTime(rendered.text, zone)}`,
        tooltip: `${hole.source} is ${rendered.text} for the interval ${intervalLabel}`,
        kind: 'interval',
      },
    ];
  });
}
