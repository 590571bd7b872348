import { planSummary } from '../../plan/explain.ts';
import type { Plan, PlanUnit, UnitId } from '../../plan/model/plan.ts';
import type { PlanRequest, Selection } from '../../plan/model/plan-request.ts';
import { instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { JobOptions, PreparedJobs } from '../jobs/prepare-jobs.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { AskedFor, PlanFile, PlannedSlice, PlannedTask, PlannedUnit } from './plan-file.ts';
import type { Digest } from './plan-file-text.ts';
import type { TargetState } from './target-state.ts';

/** What a plan file is made of; made again later, it tells what has moved on since. */
export interface PlanFileParts {
  readonly title: string;
  readonly request: PlanRequest;
  readonly plan: Plan;
  /** As the settings of the workspace have them, without what a run is told beside. */
  readonly prepared: PreparedJobs;
  readonly connection: string;
  readonly target: string;
  readonly options: JobOptions;
  /** `undefined`: the database was not looked at. */
  readonly state: TargetState | undefined;
  /** Files of a task, its pipeline's first. */
  filesOf(task: string): readonly string[];
  /** Text of a file; the configuration's as well. */
  text(file: string): string | undefined;
  /** `backfill.yaml`, as it is called here. */
  readonly configFile: string;
}

export function makePlanFile(parts: PlanFileParts, digest: Digest): PlanFile {
  const { title, request, plan, connection, target, state } = parts;
  const hash = (text: string): string => digest(text).slice(0, 16);
  const tasks = planSummary(plan).map(
    ({ task, units, reasons }): PlannedTask => ({
      task,
      units,
      why: reasons.join('; '),
      code: (plan.codeHashes.get(task) ?? '').slice(0, 16),
      files: parts.filesOf(task),
    }),
  );
  const files = [...new Set([parts.configFile, ...tasks.flatMap((task) => task.files)])].flatMap((file) => {
    const text = parts.text(file);
    return text === undefined ? [] : [{ file, hash: hash(text) }];
  });
  return {
    title,
    asked: askedFor(request),
    now: toIso(request.now),
    connection,
    target,
    ...(state !== undefined && { server: state.server }),
    settings: settingsOf(connection, parts.options, hash),
    files,
    tasks,
    tables: state?.tables ?? [],
    ...(state !== undefined && state.views.length > 0 && { views: state.views }),
    units: plan.units.map((unit) => unitOf(unit, parts, hash)),
    findings: plan.findings.map(({ code, severity, message }) => ({ code, severity, message })),
  };
}

function askedFor({ tasks, selection, without, order, ...more }: PlanRequest): AskedFor {
  const [from, to] =
    selection.kind === 'data-range' ? [selection.from, selection.to] : [selection.first, selection.last];
  return {
    tasks,
    from: toIso(from),
    to: toIso(to),
    ...(selection.kind === 'logical-dates' && { logical: true }),
    ...(more.only !== undefined && { units: more.only }),
    ...(more.downstream && { downstream: true }),
    ...(without.length > 0 && { without }),
    ...(more.expandUnbounded && { expandUnbounded: true }),
    ...(more.allowAppend && { allowAppend: true }),
    ...(more.allowExpired === true && { allowExpired: true }),
    ...(order === 'newest' && { order }),
  };
}

/** The request that a plan file was made for, with its clock. */
export function requestOf({ asked, now }: PlanFile): PlanRequest {
  const at = (iso: string) => instant(Date.parse(iso));
  const selection: Selection =
    asked.logical === true
      ? { kind: 'logical-dates', first: at(asked.from), last: at(asked.to) }
      : { kind: 'data-range', from: at(asked.from), to: at(asked.to) };
  return {
    tasks: asked.tasks,
    selection,
    ...(asked.units !== undefined && { only: asked.units }),
    downstream: asked.downstream ?? false,
    without: asked.without ?? [],
    expandUnbounded: asked.expandUnbounded ?? false,
    allowAppend: asked.allowAppend ?? false,
    allowExpired: asked.allowExpired ?? false,
    ...(asked.order !== undefined && { order: asked.order }),
    now: at(now),
  };
}

/** Settings that decide what a run does, by their names in `backfill.yaml`. How fast it goes is no part of a plan. */
function settingsOf(connection: string, options: JobOptions, hash: (text: string) => string): PlanFile['settings'] {
  const { compare, floatTolerance, holdShrinkPercent, keepBeforeRows, earlyCutoff, lockTable, settings } = options;
  return {
    'run.compare': compare,
    'run.shrinkPercent': holdShrinkPercent === undefined ? 'nothing is held' : String(holdShrinkPercent),
    'run.keepBeforeRows': String(keepBeforeRows),
    'run.earlyCutoff': String(earlyCutoff),
    ...(lockTable !== undefined && { 'run.lockTable': String(lockTable) }),
    ...(floatTolerance !== undefined && { 'diff.floatTolerance': String(floatTolerance) }),
    ...Object.fromEntries(
      Object.entries(settings)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        // Settings of an application's own may be secrets.
        .map(([name, value]) => [
          `connections.${connection}.settings.${name}`,
          name.includes('.') ? `hash ${hash(value)}` : value,
        ]),
    ),
  };
}

function unitOf(
  unit: PlanUnit,
  { plan, prepared, state, options }: PlanFileParts,
  hash: (text: string) => string,
): PlannedUnit {
  const job = prepared.jobs.get(unit.id);
  const held = state?.held.get(unit.id);
  const idAt = (task: string, index: number): UnitId => plan.units[plan.byTask.get(task)?.[index] ?? -1]?.id ?? task;
  return {
    unit: unit.id,
    end: toIso(unit.data.end),
    waitsFor: unit.waitsFor.map(({ task, first, last }) =>
      first === last ? idAt(task, first) : `${idAt(task, first)}..${idAt(task, last)}`,
    ),
    ...(job !== undefined && { sql: hash(runsWith(job, options)) }),
    slices: unit.slices.map((slice): PlannedSlice => {
      const { table, column, from, to, mode } = slice;
      return {
        table,
        ...(column !== undefined && { column }),
        ...(from !== undefined && Number.isFinite(from) && { from: toIso(from) }),
        ...(to !== undefined && Number.isFinite(to) && { to: toIso(to) }),
        mode,
        ...held?.get(table),
      };
    }),
  };
}

/**
 * All that a job runs with but for the run that it is of, its code as written, what holds for every task by `backfill.yaml`,
 * and what a run can be told beside.
 */
function runsWith(
  { statements, slices, inputs, role, filledBy, cutsOff, options }: UnitJob,
  common: JobOptions,
): string {
  const own = Object.entries(options.settings).filter(([name, value]) => common.settings[name] !== value);
  const held = options.holdShrinkPercent === common.holdShrinkPercent ? [] : [options.holdShrinkPercent ?? 'nothing'];
  const sent = statements.map(({ text }) => text);
  return JSON.stringify([sent, slices, inputs, role, filledBy, cutsOff, held, own.sort()]);
}
