import type { RunUnit } from '../../../core/run/unit/run-result.ts';

const taskOf = ({ unit }: RunUnit): string => unit.slice(0, unit.lastIndexOf('@'));

/** How a run that did not come to its end is gone on with. Only commands that change something: a resume neither runs again what stopped halfway nor mends a refused undo. */
export function goOnLines(
  units: readonly RunUnit[],
  {
    resume,
    undoes,
    named,
  }: {
    readonly resume: string;
    /** Of an undo: the run that it takes back. */
    readonly undoes: string | undefined;
    /** ` --connection NAME`, or nothing. */
    readonly named: string;
  },
): readonly string[] {
  const stuck = undoes === undefined ? [] : units.filter(isNotUndoable);
  if (stuck.length > 0) {
    const rest = units.filter(({ state }) => state === 'waiting' || state === 'blocked').map(({ unit }) => unit);
    const runs = stuck.map((unit) => {
      const date = unit.unit.slice(unit.unit.lastIndexOf('@') + 1);
      return `what cannot be undone is run again: backfill run ${taskOf(unit)} --logical-dates ${date}..${date}${named}`;
    });
    return rest.length === 0
      ? runs
      : [...runs, `undo the rest: backfill undo ${undoes}${named} --unit ${rest.join(' ')}`];
  }
  // A resume does not run what is not run from here, and what waits for it goes on by itself once that was told.
  if (units.some(isElsewhere) && units.every(({ state }) => !open.has(state))) return [];
  const halfway = units.filter(({ state }) => state === 'unknown');
  const tasks = [...new Set(halfway.map(taskOf))].join(' ');
  const others = units.some(({ state }) => open.has(state) && state !== 'unknown');
  // What their SQL says was wrong is sent again as it was planned.
  const wrong = units.some(
    ({ state, error }) => state === 'failed' && error?.retryable === false && error.statement !== undefined,
  );
  const mended = wrong
    ? ' (it sends the SQL of then; where that was changed since, it says how to plan what is left anew)'
    : '';
  return [
    ...(halfway.length === 0 || others ? [`go on with: ${resume}${mended}`] : []),
    ...(halfway.length === 0
      ? []
      : [`once the tables of what stopped halfway were looked at, go on with: ${resume} --not-atomic ${tasks}`]),
  ];
}

const open: ReadonlySet<string> = new Set(['failed', 'cancelled', 'waiting', 'running', 'unknown']);

/** A unit that is not run from here. */
export const isElsewhere = ({ state, error }: RunUnit): boolean => state === 'blocked' && error?.kind === 'refused';

/** The rows of before are not there, or the slice has moved on: trying again finds the same. */
const isNotUndoable = ({ state, error }: RunUnit): boolean =>
  state === 'failed' && error?.retryable === false && (error.kind === 'conflict' || error.kind === 'other');
