import { plural } from '../../text/plural.ts';
import type { PlanFile, PlannedSlice, PlannedTask, PlannedUnit } from './plan-file.ts';

/** Something that is not as it was when a plan was written, in one sentence without its full stop. */
export interface MovedOn {
  readonly about: 'target' | 'settings' | 'code' | 'units' | 'shape' | 'views' | 'rows';
  readonly message: string;
}

/** What becomes of a plan file that was made again. */
export interface PlanComparison {
  /** Why it is not to be run as it was reviewed; empty where it is. */
  readonly movedOn: readonly MovedOn[];
  /** Files that are others now although nothing of the plan is. */
  readonly untouched: readonly string[];
}

/** How many of a kind are named. */
const mostNamed = 3;

/** Compares a plan as it was reviewed with the same one made again from the workspace and the database of now. */
export function comparePlans(then: PlanFile, now: PlanFile): PlanComparison {
  const changedFiles = filesThatDiffer(then, now);
  const movedOn = [
    ...targetMoved(then, now),
    ...settingsMoved(then, now),
    ...codeMoved(then, now, changedFiles),
    ...unitsMoved(then, now, changedFiles),
    ...shapesMoved(then, now),
    ...viewsMoved(then, now),
    ...rowsMoved(then, now),
  ];
  return { movedOn, untouched: movedOn.length === 0 ? [...changedFiles] : [] };
}

function filesThatDiffer(then: PlanFile, now: PlanFile): ReadonlySet<string> {
  const hashes = new Map(now.files.map(({ file, hash }) => [file, hash]));
  return new Set(then.files.filter(({ file, hash }) => hashes.get(file) !== hash).map(({ file }) => file));
}

function targetMoved(then: PlanFile, now: PlanFile): readonly MovedOn[] {
  if (then.connection !== now.connection) {
    const message = `it is planned for the connection ${then.connection}, and this run is on ${now.connection}`;
    return [{ about: 'target', message }];
  }
  if (then.target === now.target) return [];
  const message = `connection ${then.connection} was ${then.target} and is ${now.target}`;
  return [{ about: 'target', message }];
}

function settingsMoved(then: PlanFile, now: PlanFile): readonly MovedOn[] {
  const names = [...new Set([...Object.keys(then.settings), ...Object.keys(now.settings)])].sort();
  const said = (value: string | undefined): string => value ?? 'not set';
  return names.flatMap((name): readonly MovedOn[] => {
    const [was, is] = [then.settings[name], now.settings[name]];
    if (was === is) return [];
    return [{ about: 'settings', message: `${name} in backfill.yaml was ${said(was)} and is ${said(is)}` }];
  });
}

function codeMoved(then: PlanFile, now: PlanFile, changedFiles: ReadonlySet<string>): readonly MovedOn[] {
  const codes = new Map(now.tasks.map(({ task, code }) => [task, code]));
  return then.tasks.flatMap((planned): readonly MovedOn[] => {
    const code = codes.get(planned.task);
    if (code === undefined || code === planned.code) return [];
    return [{ about: 'code', message: `the code of ${planned.task} was changed${where(planned, changedFiles)}` }];
  });
}

/** Where the code of a task was changed, as far as its own files show it. */
function where({ files }: PlannedTask, changedFiles: ReadonlySet<string>): string {
  const changed = files.filter((file) => changedFiles.has(file));
  return changed.length === 0 ? ', in what its file reads or imports' : ` in ${changed.join(', ')}`;
}

function unitsMoved(then: PlanFile, now: PlanFile, changedFiles: ReadonlySet<string>): readonly MovedOn[] {
  const was = new Map(then.units.map((unit) => [unit.unit, unit]));
  const is = new Map(now.units.map((unit) => [unit.unit, unit]));
  const codes = new Map(now.tasks.map(({ task, code }) => [task, code]));
  const recoded = new Set(then.tasks.filter(({ task, code }) => codes.get(task) !== code).map(({ task }) => task));
  const gone = then.units.filter(({ unit }) => !is.has(unit));
  const added = now.units.filter(({ unit }) => !was.has(unit));
  const differing = (differs: (a: PlannedUnit, b: PlannedUnit) => boolean): readonly PlannedUnit[] =>
    then.units.filter((unit) => {
      const other = is.get(unit.unit);
      return other !== undefined && differs(unit, other);
    });
  const resliced = differing((a, b) => slicesOf(a) !== slicesOf(b));
  // Of a task whose code is another one this is no news.
  const resent = differing((a, b) => a.sql !== b.sql && slicesOf(a) === slicesOf(b)).filter(
    ({ unit }) => !recoded.has(taskOf(unit)),
  );
  const rewaited = differing((a, b) => a.end !== b.end || a.waitsFor.join() !== b.waitsFor.join());
  const inFiles = changedFiles.size === 0 ? '' : ` (changed since: ${[...changedFiles].join(', ')})`;
  const said = (units: readonly PlannedUnit[], words: string): readonly MovedOn[] =>
    units.length === 0 ? [] : [{ about: 'units', message: `${named(units)} ${words}` }];
  const moved = [
    ...said(gone, `would not run any more: schedule, dates or dependencies are others${inFiles}`),
    ...said(added, `would run as well: schedule, dates or dependencies are others${inFiles}`),
    ...said(resliced, 'would write other rows'),
    ...said(resent, 'would send other SQL although the code is the same: variables, params or declarations are others'),
    ...said(rewaited, 'would wait for others, or end at another time'),
  ];
  if (moved.length > 0 || then.units.every(({ unit }, index) => now.units[index]?.unit === unit)) return moved;
  return [{ about: 'units', message: 'the units would run in another order' }];
}

const slicesOf = ({ slices }: PlannedUnit): string =>
  JSON.stringify(slices.map(({ table, column, from, to, mode }) => [table, column, from, to, mode]));

const taskOf = (unit: string): string => unit.slice(0, unit.lastIndexOf('@'));

/** `a@…, b@… and 4 more units`. */
function named(units: readonly PlannedUnit[]): string {
  const names = units.slice(0, mostNamed).map(({ unit }) => unit);
  const more = units.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${plural(more, 'more unit')}` : ''}`;
}

function shapesMoved(then: PlanFile, now: PlanFile): readonly MovedOn[] {
  if (then.server === undefined || now.server === undefined) return [];
  const shapes = new Map(now.tables.map(({ table, columns }) => [table, columns]));
  return then.tables.flatMap(({ table, columns: was }): readonly MovedOn[] => {
    if (!shapes.has(table)) return [];
    const is = shapes.get(table);
    if (was === undefined || is === undefined) {
      if (was === is) return [];
      return [
        {
          about: 'shape',
          message: `the table ${table} ${was === undefined ? 'was not there, and is now' : 'is not there any more'}`,
        },
      ];
    }
    const added = is.filter((column) => !was.includes(column));
    const dropped = was.filter((column) => !is.includes(column));
    if (added.length + dropped.length === 0) {
      const moved = is.join() === was.join() ? [] : [`the columns of ${table} stand in another order`];
      return moved.map((message) => ({ about: 'shape', message }));
    }
    const parts = [
      ...(added.length > 0 ? [`has ${added.join(', ')}`] : []),
      ...(dropped.length > 0 ? [`has no more ${dropped.join(', ')}`] : []),
    ];
    return [{ about: 'shape', message: `the table ${table} ${parts.join(' and ')}` }];
  });
}

/** What rows come through; a view under another one is gone where that was redefined, which is said then. */
function viewsMoved(then: PlanFile, now: PlanFile): readonly MovedOn[] {
  if (then.server === undefined || then.server !== now.server) return [];
  const is = new Map((now.views ?? []).map(({ view, definition }) => [view, definition]));
  const redefined = (then.views ?? []).filter(({ view, definition }) => is.has(view) && is.get(view) !== definition);
  const gone = (then.views ?? []).filter(({ view }) => !is.has(view));
  if (redefined.length > 0)
    return redefined.map(({ view }) => ({ about: 'views', message: `the view ${view} was redefined` }));
  return gone.map(({ view }) => ({ about: 'views', message: `${view} is not a view that is read any more` }));
}

function rowsMoved(then: PlanFile, now: PlanFile): readonly MovedOn[] {
  if (then.server === undefined || now.server === undefined) return [];
  if (then.server !== now.server) {
    const message = `the server is of version ${now.server} and was of ${then.server}, so that what its tables held cannot be compared`;
    return [{ about: 'rows', message }];
  }
  const is = new Map(now.units.map((unit) => [unit.unit, unit]));
  // Contents are summed up over all columns: where those are others, only numbers of rows can be compared.
  const shapes = new Map(now.tables.map(({ table, columns }) => [table, columns?.join()]));
  const reshaped = new Set(
    then.tables.filter(({ table, columns }) => shapes.get(table) !== columns?.join()).map(({ table }) => table),
  );
  const tables = new Map<string, string[]>();
  for (const { unit, slices } of then.units) {
    for (const was of slices) {
      const slice = is
        .get(unit)
        ?.slices.find(({ table, from, to }) => table === was.table && from === was.from && to === was.to);
      if (slice === undefined || slice.content === was.content) continue;
      if (slice.rows === was.rows && reshaped.has(was.table)) continue;
      tables.set(was.table, [...(tables.get(was.table) ?? []), differenceOf(was, slice)]);
    }
  }
  return [...tables].map(([table, slices]) => {
    const more = slices.length - mostNamed;
    const rest = more > 0 ? `; and ${plural(more, 'more slice')}` : '';
    return { about: 'rows', message: `rows of ${table} were changed: ${slices.slice(0, mostNamed).join('; ')}${rest}` };
  });
}

function differenceOf(was: PlannedSlice, is: PlannedSlice): string {
  const where = `${was.from ?? 'the beginning'} to ${was.to ?? 'the end'}`;
  if (was.rows === undefined) return `${where} could not be summed up, and has ${plural(is.rows ?? 0, 'row')} now`;
  if (is.rows === undefined) return `${where} had ${plural(was.rows, 'row')}, and cannot be summed up now`;
  return was.rows === is.rows
    ? `${where} has other values in its ${plural(was.rows, 'row')}`
    : `${where} had ${plural(was.rows, 'row')} and has ${is.rows}`;
}
