import { leftOutInWords } from '../../../diff/left-out-in-words.ts';
import type { SliceDiff } from '../../../diff/slice-diff.ts';
import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';
import { plural } from '../../../text/plural.ts';
import { describeReadable } from '../../../warehouse/catalog/describe-tables.ts';
import type { Session, Warehouse } from '../../../warehouse/port/ports.ts';
import { cancellable } from '../../session/cancellable.ts';
import type { RelationalRunner } from '../../session/runner.ts';
import { enterTransaction, protectiveSettings } from '../../session/session-settings.ts';
import { isCancellation, isLost, noSessionErrorOf, unitErrorOf } from '../../session/unit-error.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { UnitExecutor } from '../../unit/unit-executor.ts';
import type { RenderedStatement, UnitJob } from '../../unit/unit-job.ts';
import type { UnitError, UnitOutcome } from '../../unit/unit-outcome.ts';
import { openPreview } from '../preview/preview.ts';
import { shiftClocks } from '../task/shift-clocks.ts';
import { plannedCalls } from './planned-calls.ts';
import { isOfAllIntervals, proveInTurn } from './prove-in-turn.ts';

/** What running one unit twice came to. Nothing of it was kept. */
export interface UnitProof {
  readonly unit: string;
  readonly task: string;
  readonly verdict:
    | { readonly kind: 'no-difference' }
    /** The second run left other rows: the proof. `statements` are those that write the differing tables. */
    | {
        readonly kind: 'different';
        /** What was made different for it, in words; `undefined`: runs as written differ among themselves as well. */
        readonly under: string | undefined;
        /** It is the second run of several intervals in turn that did. */
        readonly inTurn?: true;
        readonly slices: readonly SliceDiff[];
        readonly statements: readonly RenderedStatement[];
      }
    /** Runs leave rows that one run from empty slices does not: `slices` are as runs leave them, then as the clean run does. */
    | {
        readonly kind: 'not-clean';
        /** What helps, where it is not to have them taken away by runs from here. */
        readonly advice?: string;
        readonly slices: readonly SliceDiff[];
        readonly statements: readonly RenderedStatement[];
      }
    /** A run wrote outside of its slice, so that a rerun cannot take it back. */
    | { readonly kind: 'outside'; readonly reason: string }
    | { readonly kind: 'failed'; readonly error: UnitError }
    | { readonly kind: 'cancelled' };
  /** What was made different in the second and third run, in words. */
  readonly varied: readonly string[];
  /** What may differ between runs and was not: calls inside views, functions and defaults. */
  readonly notCovered: readonly string[];
  /** Why what one run from empty slices leaves is not known, by table. */
  readonly notEmptied: readonly string[];
  /** Columns that were not compared, in words. */
  readonly leftOut: readonly string[];
}

export interface ProofOptions {
  readonly signal: CancelSignal;
  readonly timeBoxMs: number;
  /** Units that fill a table with this unit's interval which holds one interval at a time: run before it, in order. */
  readonly fillers?: readonly UnitJob[];
  /** Where more of its task are proven: all of them in turn, this one among them, each behind its fillers. With the last they are run in turn. */
  readonly inTurn?: readonly UnitJob[] | undefined;
}

/** Ways to plan the same statements, so that ties, LIMIT and sums of floats come out in another order. */
const shakes: readonly { readonly name: string; readonly settings: Readonly<Record<string, string>> }[] = [
  {
    name: 'a plan of sequential scans and small sorts',
    settings: {
      work_mem: '64kB',
      enable_hashagg: 'off',
      enable_hashjoin: 'off',
      enable_indexscan: 'off',
      enable_bitmapscan: 'off',
    },
  },
  {
    name: 'a plan of index scans and hashes',
    settings: {
      work_mem: '64MB',
      enable_seqscan: 'off',
      enable_mergejoin: 'off',
      enable_nestloop: 'off',
      enable_sort: 'off',
    },
  },
];

/**
 * Runs a unit as written, again with the clock moved and the plan shaken, and once more from empty slices, all in one
 * transaction that is rolled back, and compares what each run left. Sequences advance and dead rows stay, as after any rolled-back run.
 */
export async function proveUnit(
  warehouse: Warehouse,
  env: RelationalRunner,
  job: UnitJob,
  { signal, timeBoxMs, fillers = [], inTurn }: ProofOptions,
): Promise<UnitProof> {
  const shifted = job.statements.map(({ text, at }) => ({ ...shiftClocks(text, 'postgres'), at }));
  const clocks = [...new Set(shifted.flatMap((statement) => statement.shifted))];
  const varied = [
    ...clocks.map((name) => `${name} a day, an hour and a second later`),
    ...shakes.map(({ name }) => name),
  ];
  let leftOut: readonly string[] = [];
  const proof = (
    verdict: UnitProof['verdict'],
    notCovered: readonly string[] = [],
    notEmptied: readonly string[] = [],
  ): UnitProof => ({
    unit: job.unit,
    task: job.task,
    verdict,
    varied,
    notCovered,
    notEmptied,
    leftOut,
  });
  let notCovered: readonly string[];
  if (signal.aborted) return proof({ kind: 'cancelled' });
  try {
    const session = await warehouse.connect('unit').catch(noSessionErrorOf);
    if ('retryable' in session) return proof({ kind: 'failed', error: session });
    notCovered = await hiddenCalls(session, job, signal);
  } catch (error) {
    if (signal.aborted && isCancellation(error)) return proof({ kind: 'cancelled' });
    return proof({ kind: 'failed', error: unitErrorOf(error) });
  }
  const passes = [
    { under: '', job: unguarded(job) },
    ...shakes.map(({ name, settings }) => ({
      under: [...clocks, name].join(', '),
      job: unguarded({
        ...job,
        statements: shifted.map(({ text, at }) => ({ text, at })),
        options: { ...job.options, settings: { ...job.options.settings, ...settings } },
      }),
    })),
  ];
  const preview = openPreview(warehouse, env, timeBoxMs);
  let last: readonly SliceDiff[] = [];
  let first: readonly SliceDiff[] | undefined;
  try {
    for (const filler of fillers) {
      const verdict = unfilled(filler, await preview.executor.execute(unguarded(filler), signal));
      if (verdict !== undefined) return proof(verdict);
    }
    for (const [pass, { under, job: again }] of passes.entries()) {
      const outcome = await preview.executor.execute(again, signal);
      if (outcome.state === 'previewed') {
        last = outcome.slices;
        notCovered = [...new Set([...notCovered, ...(outcome.uncounted ?? []).map(uncounted)])];
        first ??= last;
        leftOut = leftOutInWords(last);
      }
      const verdict = verdictOf(outcome, pass, under, job);
      if (verdict === undefined) continue;
      const isItsOwn = verdict.kind === 'different' && (await differsAsWritten(preview.executor, job, signal));
      return proof(isItsOwn ? { ...verdict, under: undefined } : verdict, notCovered);
    }
    const clean = await cleanRun(preview.executor, job, { shifted, runs: last }, signal);
    if (clean.verdict.kind !== 'no-difference') return proof(clean.verdict, notCovered, clean.notEmptied);
    // Another transaction: this one has seen a clean run.
    await preview.end();
    const turns = await provenInTurn(warehouse, env, job, { signal, timeBoxMs, inTurn });
    const covered = [...notCovered, ...withoutRows(job, first ?? [], last), ...turns.notCovered];
    return proof(turns.verdict, covered, clean.notEmptied);
  } finally {
    await preview.end();
  }
}

/** Why a unit cannot be proven whose table nobody has filled for its interval; `undefined` where it is filled. */
function unfilled({ unit }: UnitJob, outcome: UnitOutcome): UnitProof['verdict'] | undefined {
  if (outcome.state === 'previewed') return undefined;
  if (outcome.state === 'cancelled') return { kind: 'cancelled' };
  const lead = `${unit}, which fills what it reads, could not be run before it`;
  if (outcome.state === 'failed') {
    const { error } = outcome;
    return { kind: 'failed', error: { ...error, message: `${lead}: ${error.message}` } };
  }
  const message = outcome.state === 'held' ? `${lead}: ${outcome.reason}` : lead;
  return {
    kind: 'failed',
    error: { kind: 'refused', message, remedy: undefined, retryable: false, sqlState: undefined, statement: undefined },
  };
}

const uncounted = (table: string): string => `rows of ${table}: it is a foreign table`;

/** Whether the second of two more runs as written, which undo what was made different before, leaves other rows again. */
async function differsAsWritten(executor: UnitExecutor, job: UnitJob, signal: CancelSignal): Promise<boolean> {
  await executor.execute(unguarded(job), signal);
  const again = await executor.execute(unguarded(job), signal);
  return again.state === 'previewed' && again.changed;
}

/**
 * Whether all proven intervals of the task in turn, and in turn again, leave the same, where its rows are of all intervals: each
 * run of the proof so far was put on top of one of the same interval. The last of them says so for all.
 */
async function provenInTurn(
  warehouse: Warehouse,
  env: RelationalRunner,
  job: UnitJob,
  { signal, timeBoxMs, inTurn = [] }: ProofOptions,
): Promise<Pick<UnitProof, 'verdict' | 'notCovered'>> {
  const same = { verdict: { kind: 'no-difference' }, notCovered: [] } as const;
  const tables = [...new Set(job.slices.filter(isOfAllIntervals).map(({ table }) => table))];
  if (tables.length === 0) return same;
  const open = (others: string) => tables.map((table) => `runs of ${others}, which write the same rows of ${table}`);
  const own = inTurn.filter(({ task }) => task === job.task);
  if (own.length < 2) return { ...same, notCovered: open('other intervals between two of this one') };
  if (own.at(-1)?.unit !== job.unit) return same;
  const preview = openPreview(warehouse, env, timeBoxMs);
  try {
    const found = await proveInTurn(preview.executor, job.task, inTurn.map(unguarded), signal);
    if (found.kind === 'cancelled' || found.kind === 'failed') return { ...same, verdict: found };
    if (found.kind === 'same')
      return { ...same, notCovered: open('intervals that were not proven between two of these') };
    if (found.kind === 'not-known') {
      const why = `${plural(own.length, 'interval')} in turn and in turn again: ${found.why}`;
      return { ...same, notCovered: [why, ...open('other intervals between two of one')] };
    }
    const { slices } = found;
    const under = `${plural(own.length, 'interval')} in turn, ${own[0]?.unit} to ${job.unit}, and all of them in turn again`;
    return { ...same, verdict: { kind: 'different', under, inTurn: true, slices, statements: writers(job, slices) } };
  } finally {
    await preview.end();
  }
}

/** Tables of which the interval has no rows, so that no run could differ in them, and those that runs would add to and did not. */
function withoutRows(job: UnitJob, first: readonly SliceDiff[], last: readonly SliceDiff[]): readonly string[] {
  return job.slices.flatMap(({ table, mode, column }) => {
    const slices = last.filter((slice) => slice.table === table);
    if (slices.length > 0 && slices.every(({ after }) => after?.rows === 0))
      return [`rows of ${table}: this interval has none`];
    const added = first.some((slice) => slice.table === table && slice.added !== 0);
    return mode === 'append' && column === undefined && slices.length > 0 && !added
      ? [`rows of ${table}: this interval added none`]
      : [];
  });
}

/** The first run may do what it likes to its slice; what the later ones change is the proof. */
function verdictOf(outcome: UnitOutcome, pass: number, under: string, job: UnitJob): UnitProof['verdict'] | undefined {
  switch (outcome.state) {
    case 'failed':
      return { kind: 'failed', error: outcome.error };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'held':
      return { kind: 'outside', reason: outcome.reason };
    case 'previewed': {
      if (pass === 0 || !outcome.changed) return undefined;
      const slices = outcome.slices.filter(differs);
      return { kind: 'different', under, slices, statements: writers(job, slices) };
    }
    default:
      return undefined;
  }
}

/**
 * One run from empty slices, against what the runs before it left. Slices that are not the unit's alone are not emptied, and
 * said; where nothing can be emptied, so is why. A table that a second such run, on a moved clock, fills otherwise again
 * (random keys, a clock) is judged by what the last of `runs` says is left over in it.
 */
async function cleanRun(
  executor: UnitExecutor,
  job: UnitJob,
  { shifted, runs }: { readonly shifted: readonly RenderedStatement[]; readonly runs: readonly SliceDiff[] },
  signal: CancelSignal,
): Promise<Pick<UnitProof, 'verdict' | 'notEmptied'>> {
  const notEmptied = job.slices.flatMap(({ shared: why, table }) =>
    why === undefined ? [] : [`a clean run of ${table}: ${why}`],
  );
  const none = { verdict: { kind: 'no-difference' }, notEmptied } as const;
  if (notEmptied.length === job.slices.length) return none;
  const outcome = await executor.execute(unguarded({ ...job, fromNothing: true }), signal);
  switch (outcome.state) {
    case 'previewed': {
      if (!outcome.slices.some(differs)) return none;
      const statements = shifted.map(({ text, at }) => ({ text, at }));
      const again = await executor.execute(unguarded({ ...job, statements, fromNothing: true }), signal);
      if (again.state === 'cancelled') return { verdict: { kind: 'cancelled' }, notEmptied };
      if (again.state === 'failed' && isLost(again.error))
        return { verdict: { kind: 'failed', error: again.error }, notEmptied };
      const moving = again.state === 'previewed' ? again.slices.filter(differs) : [];
      const slices = outcome.slices
        .filter(differs)
        .flatMap((slice) => (moving.some((one) => isSameSlice(one, slice)) ? (leftOverOf(slice, runs) ?? []) : slice));
      if (slices.length === 0) return none;
      return { verdict: { kind: 'not-clean', slices, statements: writers(job, slices) }, notEmptied };
    }
    case 'cancelled':
      return { verdict: { kind: 'cancelled' }, notEmptied };
    case 'failed':
      // Nothing is known of the unit then.
      if (isLost(outcome.error)) return { verdict: { kind: 'failed', error: outcome.error }, notEmptied };
      return { ...none, notEmptied: [...notEmptied, `a clean run from empty slices: ${outcome.error.message}`] };
    case 'held':
      return { ...none, notEmptied: [...notEmptied, `a clean run from empty slices: ${outcome.reason}`] };
    default:
      return none;
  }
}

const isSameSlice = (a: SliceDiff, b: SliceDiff): boolean => a.table === b.table && a.from === b.from && a.to === b.to;

/** A slice whose rows no two clean runs have in common, with what a run found to be left over in it. */
function leftOverOf(slice: SliceDiff, runs: readonly SliceDiff[]): SliceDiff | undefined {
  const { leftOver } = runs.find((one) => isSameSlice(one, slice)) ?? {};
  if (leftOver === undefined) return undefined;
  const samples = leftOver.samples.map(
    (before) => ({ kind: 'removed', key: undefined, before, after: undefined }) as const,
  );
  return { ...slice, added: 0, removed: leftOver.rows, changed: leftOver.stale, columns: [], sums: [], samples };
}

const differs = ({ added, removed, changed }: SliceDiff): boolean => added !== 0 || removed !== 0 || changed !== 0;

/** An empty or shrunk result is a result: what is asked is whether it comes out the same again. */
const unguarded = (job: UnitJob): UnitJob => ({
  ...job,
  options: { ...job.options, compare: 'rows', holdShrinkPercent: undefined },
});

const writers = ({ statements }: UnitJob, slices: readonly SliceDiff[]): readonly RenderedStatement[] =>
  statements.filter(writesOneOf(new Set(slices.map(({ table }) => table))));

const writesOneOf =
  (tables: ReadonlySet<string>) =>
  ({ text }: RenderedStatement): boolean => {
    const { statements } = readSql(plainText(withoutLeadingComments(text)), 'postgres');
    return statements.some(({ targets }) =>
      targets.some(({ name }) => [...tables].some((table) => table === name || table.endsWith(`.${name}`))),
    );
  };

/** Statements whose own statements the planner shows only when they are run. */
const hidesStatements = /^[\s(]*(?:do|call|execute)\b/i;

/** Calls that the planner sees and that do not stand in the statements themselves. The session is closed. */
async function hiddenCalls(raw: Session, job: UnitJob, signal: CancelSignal): Promise<readonly string[]> {
  const steps = cancellable(raw, signal);
  const { session } = steps;
  try {
    await session.query('begin isolation level read committed');
    await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
    // The planner calls what is said to be constant.
    const planned = await plannedCalls(session, job.outside === undefined ? job.statements : []);
    const tables = await describeReadable(session, [...new Set(job.slices.map(({ table }) => table))], new Map());
    await session.query('rollback');
    const visible = new Set(
      job.statements.flatMap(({ text }) =>
        readSql(plainText(text), 'postgres').statements.flatMap(({ nondeterministic, modifying }) =>
          [...nondeterministic, ...modifying.flatMap((one) => one.nondeterministic)].map(({ name }) => name),
        ),
      ),
    );
    // The planner shows some calls under the name of another.
    const names = [...planned.changing].filter(
      (name) => !visible.has(name) && !aliases(name).some((other) => visible.has(other)),
    );
    return [
      ...names.map((name) => `${name} inside a view, a function or a default`),
      ...(job.outside === undefined ? [] : ['clock calls inside views, functions and defaults']),
      ...(job.statements.some(({ text }) => hidesStatements.test(withoutLeadingComments(text)))
        ? ['clock calls inside DO, CALL and EXECUTE']
        : []),
      ...planned.functions.map((name) => `clock calls inside the function ${name}`),
      ...tables.flatMap((table) => (table?.triggers ? [`clock calls inside triggers of ${table.qualified}`] : [])),
    ];
  } finally {
    steps.release();
    await raw.close();
  }
}

const aliases = (name: string): readonly string[] =>
  ['now', 'transaction_timestamp', 'current_timestamp'].includes(name)
    ? ['now', 'transaction_timestamp', 'current_timestamp', 'localtimestamp', 'current_date']
    : [];
