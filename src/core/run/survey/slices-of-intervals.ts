import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import type { PlannableTask } from '../../plan/model/plan-request.ts';
import { unitSlices } from '../../plan/units/unit-slices.ts';
import { readsTextsOtherwise } from '../../sql/names/text-settings.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import type { GridInterval } from '../../time/intervals/grid.ts';
import { toIso } from '../../time/zones/iso.ts';
import { jobSession } from '../jobs/job-session.ts';
import { type RenderedSql, renderStatements } from '../jobs/render-statements.ts';
import { sessionInSql } from '../jobs/session-in-sql.ts';
import { sliceRows } from '../jobs/slice-rows.ts';
import { taskContext } from '../jobs/task-context.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { SurveySlice } from './survey-slices.ts';

/** A task with what its templates are rendered from. */
export interface SurveyedTask {
  readonly task: Task;
  readonly pipeline: Pipeline;
  readonly given: Pick<TemplateContext, 'variables' | 'params'>;
}

export interface SlicesOfIntervals {
  readonly slices: readonly SurveySlice[];
  /** Tables whose rows cannot be told apart by interval, and why, in words. */
  readonly untold: readonly string[];
}

/**
 * The slices by which a task's intervals can be counted, by the very conditions and values that a run would use. A table that
 * is made anew as a whole, and a stage, which holds one run's rows, have none and are not missed.
 */
export function slicesOfIntervals(
  planned: PlannableTask,
  intervals: readonly GridInterval[],
  known: SurveyedTask,
): SlicesOfIntervals {
  const slices: SurveySlice[] = [];
  const untold = new Set<string>();
  for (const { table, slice } of planned.writes) {
    if (planned.stages?.includes(table) === true) continue;
    if (slice.kind === 'own-table') untold.add(`${table}: each interval has a table of its own`);
    if (slice.kind === 'unknown')
      untold.add(`${table}: which rows are those of one interval is not known: ${slice.reason}`);
  }
  for (const interval of intervals) {
    const { data } = interval;
    const context = taskContext(known.task, known.pipeline, data, known.given);
    const texts = textsOf(planned, known.task, context);
    const unit = `${planned.id}@${toIso(interval.start)}`;
    for (const [at, { table, column, from, to, stage }] of unitSlices(planned, data).entries()) {
      const write = planned.writes[at];
      const isRange = column !== undefined && from !== undefined && to !== undefined && from < to;
      if (write?.slice.kind !== 'range' || !isRange || stage === true) continue;
      const asked = jobSession(known.task, context, { settings: {}, statementTimeoutMs: 0, lockTimeoutMs: 0 });
      // What its SQL sets first of how times are told holds for its rows as well, whoever counts them.
      const statements = texts.rendered.flatMap((one) => one?.statements ?? []);
      const session = 'remedy' in asked ? asked : sessionInSql(known.task, statements, asked, [], true);
      const refused = texts.refused ?? ('remedy' in session ? session : undefined);
      const rows =
        refused ?? sliceRows({ ...write, slice: write.slice }, table, data, known.task, texts.rendered, context);
      if ('remedy' in rows) untold.add(`${table}: ${rows.message}; ${rows.remedy}`);
      else {
        const settings = 'remedy' in session ? {} : session.options.settings;
        const isUnread = (write.slice.values?.length ?? 0) > 0 && rows.values === undefined;
        slices.push({ unit, table, rows, settings, ...(isUnread ? { unread: true } : {}) });
      }
    }
  }
  return { slices, untold: [...untold] };
}

/** The SQL by which slices are said, rendered for one interval; the others need not be. */
function textsOf(
  { writes }: PlannableTask,
  task: Task,
  context: TemplateContext,
): { readonly rendered: readonly (RenderedSql | undefined)[]; readonly refused: JobRefusal | undefined } {
  const needed = new Set(
    writes.flatMap(({ slice }) =>
      slice.kind === 'range' ? [slice.predicate, ...(slice.values ?? [])].flatMap((part) => part?.sqlIndex ?? []) : [],
    ),
  );
  const rendered: (RenderedSql | undefined)[] = [];
  for (const [index, sql] of task.sql.entries()) {
    const made = needed.has(index) || readsTextsOtherwise(sql.source.text) ? renderStatements(sql, context) : undefined;
    if (made !== undefined && 'remedy' in made) return { rendered, refused: made };
    rendered.push(made);
  }
  return { rendered, refused: undefined };
}
