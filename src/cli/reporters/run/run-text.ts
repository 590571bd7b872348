import type { Colors } from 'picocolors/types';
import { causesInWords } from '../../../core/diff/change-cause.ts';
import { leftOutInWords } from '../../../core/diff/left-out-in-words.ts';
import type { RowSample, SliceDiff } from '../../../core/diff/slice-diff.ts';
import { withinToleranceText } from '../../../core/diff/within-tolerance-text.ts';
import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { type PreviewEnd, tracesInWords } from '../../../core/run/unit/preview-end.ts';
import { countStates, type RunRefusal, type RunResult, type RunUnit } from '../../../core/run/unit/run-result.ts';
import { plural } from '../../../core/text/plural.ts';
import { leftOverInWords, volatileAdvice } from '../../../core/view/words/left-over-advice.ts';
import { stateOfSlice } from '../../../core/view/words/state-of-slice.ts';
import { durationText } from '../text/duration-text.ts';
import { textTable } from '../text/text-table.ts';
import { goOnLines, isElsewhere } from './go-on-lines.ts';
import { netChangeTable } from './net-change-text.ts';
import { adviceOn } from './on-connection.ts';

export interface RunView {
  readonly result: Pick<RunResult, 'preview' | 'units' | 'notes' | 'outcome' | 'refusal' | 'problem' | 'run'> & {
    readonly durationMs: number | undefined;
  };
  /** Samples shown per slice and kind. */
  readonly samples: number;
  /** List every slice, however many there are. */
  readonly units?: boolean | undefined;
  /** Columns of the terminal. */
  readonly width: number;
  /** Of a preview that was begun: the connection that it was on, and how it ended. */
  readonly previewed?: (PreviewEnd & { readonly connection: string }) | undefined;
  /** Of an undo: the run that it takes back. */
  readonly undoes?: string | undefined;
  /** The run that has taken this one back: what is left of it is not gone on with. */
  readonly undoneBy?: string | undefined;
  /** Where commands have to name the connection. */
  readonly connection?: string | undefined;
}

/** The end of a run for people: per-slice figures, what went wrong and what to do, and one line that sums it up. */
export function runText(view: RunView, colors: Colors): string {
  const { result, samples, units = false, width, previewed, connection } = view;
  if (result.refusal !== undefined) return refusalText(result.refusal, connection, colors);
  const sections = [
    sliceTable(result.units, units, width, colors),
    netChangeTable(result.units, width, colors),
    [
      ...causeLines(result.units, colors),
      ...notDeterministicLines(result.units, colors),
      ...leftOutInWords(result.units.flatMap(({ slices }) => slices)).map((line) => colors.dim(line)),
    ],
    result.units.flatMap((unit) =>
      unit.slices.flatMap((slice) => {
        const lines = sampleLines(slice, samples, colors);
        return lines.length === 0 ? [] : [colors.bold(`${unit.unit} ${slice.table}`), ...lines];
      }),
    ),
    leftOverInWords(result.units, result.preview).flatMap(({ text, help }) => [
      text,
      ...(help === undefined ? [] : [`  ${colors.green('help')} ${help}`]),
    ]),
    reasonLines(result.units, colors),
    troubleLines(result.units, connection, colors),
    [
      ...noteLines(result.units),
      ...(result.notes ?? []).map((note) => `note: ${note}`),
      ...(previewed === undefined
        ? []
        : tracesInWords({ ...previewed, notLookedAt: undefined }).map((line) => `note: ${line}`)),
      ...summaryLines(view, colors),
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

export function stateText(state: UnitState, colors: Colors): string {
  switch (state) {
    case 'changed':
      return colors.green(state);
    case 'failed':
    case 'unknown':
      return colors.red(state);
    case 'held':
    case 'blocked':
    case 'cancelled':
      return colors.yellow(state);
    default:
      return colors.dim(state);
  }
}

function refusalText(refusal: RunRefusal, connection: string | undefined, colors: Colors): string {
  const { message, remedy } = refusal;
  const reasons = refusal.code === 'plan-moved-on' ? refusal.reasons : [];
  return [
    `${colors.red('nothing was run')}: ${message}${reasons.length > 0 ? ':' : ''}\n`,
    ...reasons.map((reason) => `  - ${reason}\n`),
    remedy === undefined ? '' : `  ${colors.green('help')} ${adviceOn(connection, remedy)}\n`,
  ].join('');
}

/** Up to so many slices are listed each by itself unless more are asked for. */
const mostListed = 12;

/** Slices one by one: all of them, or where there are many those of units that somebody has to decide about. */
function sliceTable(units: readonly RunUnit[], every: boolean, width: number, colors: Colors): readonly string[] {
  const all = units.reduce((sum, { slices }) => sum + slices.length, 0);
  const listed = every || all <= mostListed ? units : units.filter(({ state }) => !netStates.has(state));
  const rows = listed.flatMap((unit) =>
    unit.slices.map((slice) => [
      unit.unit,
      slice.table,
      stateText(stateOfSlice(unit.state, slice), colors),
      // What stood there is known but where the unit made the table.
      slice.before === undefined && slice.after !== undefined ? 'new' : figure(slice.before?.rows),
      '→',
      figure(slice.after?.rows),
      checksums(slice, colors),
      difference(slice, colors),
    ]),
  );
  if (rows.length === 0) return [];
  return textTable(
    [
      { title: 'unit' },
      { title: 'table' },
      { title: 'state' },
      { title: 'rows', align: 'right' },
      { title: '' },
      { title: '', align: 'right' },
      { title: 'row checksum' },
      { title: 'rows added, removed, changed' },
    ],
    rows,
    { width, paintTitle: colors.bold },
  );
}

/** States whose slices the net change counts. */
const netStates: ReadonlySet<UnitState> = new Set(['changed', 'unchanged', 'skipped', 'done']);

const figure = (rows: number | undefined): string => (rows === undefined ? '?' : String(rows));

/** The low digits: a sum of few hashes has no high ones. */
const shortSum = (checksum: string | undefined): string => checksum?.slice(-8) ?? '–';

function checksums({ before, after }: SliceDiff, colors: Colors): string {
  const [old, now] = [shortSum(before?.rowChecksum), shortSum(after?.rowChecksum)];
  return before?.rowChecksum === after?.rowChecksum ? colors.dim(now) : `${colors.dim(old)} → ${now}`;
}

/** `+3 −1 ~12`; without a usable key a changed row counts as one removed and one added, and that is said. */
export function difference(slice: SliceDiff, colors: Colors): string {
  if (!slice.added && !slice.removed && !slice.changed) return '';
  const parts = [
    slice.added ? colors.green(`+${slice.added}`) : '+0',
    slice.removed ? colors.red(`−${slice.removed}`) : '−0',
    ...(slice.method === 'multiset' ? ['(no key)'] : [slice.changed ? colors.yellow(`~${slice.changed}`) : '~0']),
    ...(slice.withinTolerance ? [colors.dim(withinToleranceText(slice.withinTolerance, slice.changed))] : []),
  ];
  const columns = slice.columns
    .map(({ column, rows, withinTolerance }) =>
      withinTolerance ? `${column} ${rows} ${withinToleranceText(withinTolerance, rows)}` : `${column} ${rows}`,
    )
    .join(', ');
  return [...parts, ...(columns === '' ? [] : [colors.dim(columns)])].join(' ');
}

/** Differing rows of a slice, at most so many of a kind. */
export function sampleLines(slice: SliceDiff, most: number, colors: Colors): readonly string[] {
  const kinds = (['removed', 'added', 'changed'] as const).flatMap((kind) =>
    slice.samples.filter((sample) => sample.kind === kind).slice(0, most),
  );
  return kinds.flatMap((sample) => oneSample(sample, colors));
}

function oneSample({ kind, key, before, after }: RowSample, colors: Colors): readonly string[] {
  if (kind !== 'changed') {
    const [mark, row] = kind === 'added' ? [colors.green('+'), after] : [colors.red('−'), before];
    return [`  ${mark} ${valuesText(row ?? {})}`];
  }
  const moved = Object.keys(after ?? {}).filter((column) => before?.[column] !== after?.[column]);
  const pairs = moved.map((column) => `${column}: ${valueText(before?.[column])} → ${valueText(after?.[column])}`);
  return [`  ${colors.yellow('~')} ${valuesText(key ?? {})}  ${pairs.join(', ')}`];
}

const valuesText = (row: Readonly<Record<string, string | null>>): string =>
  Object.entries(row)
    .map(([column, value]) => `${column}=${valueText(value)}`)
    .join(' ');

const valueText = (value: string | null | undefined): string => value ?? 'NULL';

/** Why slices changed: each set of causes once, with the slices that have it counted by table. */
function causeLines(units: readonly RunUnit[], colors: Colors): readonly string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { slices } of units) {
    for (const { causes, table } of slices) {
      if (causes.length === 0) continue;
      const words = causesInWords(causes);
      const tables = counts.get(words) ?? new Map<string, number>();
      counts.set(words, tables.set(table, (tables.get(table) ?? 0) + 1));
    }
  }
  return [...counts].map(([words, tables]) => {
    const slices = [...tables].map(([table, count]) => `${plural(count, 'slice')} of ${table}`);
    return colors.dim(`why ${slices.join(', ')}: ${words}`);
  });
}

/** What to say of columns that differ although nothing else does, once for each task and table. */
function notDeterministicLines(units: readonly RunUnit[], colors: Colors): readonly string[] {
  const moved = units.flatMap(({ unit, slices }) =>
    volatileAdvice(
      unit.slice(0, unit.lastIndexOf('@')),
      slices.filter(({ causes }) => causes.some(({ kind }) => kind === 'not-deterministic')),
    ),
  );
  return [...new Set(moved)].map((advice) => `  ${colors.green('help')} ${advice}`);
}

const taskOf = ({ unit }: RunUnit): string => unit.slice(0, unit.lastIndexOf('@'));

/** Units that did not come to a good end, each with what to do; those that only wait behind others are counted. */
function troubleLines(units: readonly RunUnit[], connection: string | undefined, colors: Colors): readonly string[] {
  const lines: string[] = [];
  const said = new Set<string>();
  const behind = new Map<string, { readonly first: RunUnit; units: number }>();
  for (const unit of units) {
    const own =
      unit.state === 'failed' || unit.state === 'held' || unit.state === 'cancelled' || unit.error !== undefined;
    if (unit.state === 'blocked' && !own) {
      const known = behind.get(taskOf(unit));
      if (known === undefined) behind.set(taskOf(unit), { first: unit, units: 1 });
      else known.units += 1;
    }
    if (!own) continue;
    const [message = '', ...remedies] = (unit.message ?? '').split('\n');
    lines.push(`${stateText(unit.state, colors)} ${colors.bold(unit.unit)}  ${message}`);
    const { error } = unit;
    for (const remedy of error?.remedy === undefined ? remedies : [error.remedy]) {
      // Of several units for one reason it is said once.
      if (said.has(remedy)) continue;
      said.add(remedy);
      lines.push(`  ${colors.green('help')} ${adviceOn(connection, remedy)}`);
    }
    if (error?.statement !== undefined) lines.push(...quoted(error.statement, colors));
  }
  for (const [task, { first, units: count }] of behind)
    lines.push(`${colors.yellow('blocked')} ${plural(count, 'unit')} of ${task}: the first ${first.message ?? ''}`);
  return lines;
}

/** Units that were not compared, or that their scheduler left out: why, once for each reason. */
function reasonLines(units: readonly RunUnit[], colors: Colors): readonly string[] {
  const why = new Map<string, { readonly state: UnitState; units: number }>();
  for (const { state, slices, ran, message, leftOut } of units) {
    const [reason] = (message ?? '').split('\n');
    if (leftOut !== true && !(state === 'done' && ran && slices.length === 0)) continue;
    if (reason === undefined || reason === '') continue;
    const known = why.get(reason);
    if (known === undefined) why.set(reason, { state, units: 1 });
    else known.units += 1;
  }
  return [...why].map(
    ([reason, { state, units: count }]) => `${stateText(state, colors)} ${plural(count, 'unit')}, ${reason}`,
  );
}

/** The first lines of a statement, enough to find it. */
function quoted(statement: string, colors: Colors): readonly string[] {
  const lines = statement.split('\n');
  const shown = lines.slice(0, 6).map((line) => colors.dim(`  | ${line}`));
  return lines.length > 6 ? [...shown, colors.dim(`  | … ${lines.length - 6} more lines`)] : shown;
}

const noteLines = (units: readonly RunUnit[]): readonly string[] =>
  [...new Set(units.flatMap(({ notes }) => notes))].map((note) => `note: ${note}`);

const stateOrder: readonly UnitState[] = [
  'unchanged',
  'changed',
  'skipped',
  'done',
  'held',
  'failed',
  'unknown',
  'blocked',
  'cancelled',
  'waiting',
  'running',
];

const stateWords: Partial<Record<UnitState, string>> = { waiting: 'not started' };

/** `12 unchanged, 3 changed` always has both, so that a second pass can be told by its last line. */
export function countsText(units: readonly { readonly state: UnitState }[]): string {
  const counts = countStates(units);
  return stateOrder
    .filter((state) => state === 'unchanged' || state === 'changed' || (counts[state] ?? 0) > 0)
    .map((state) => `${counts[state] ?? 0} ${stateWords[state] ?? state}`)
    .join(', ');
}

function summaryLines({ result, previewed, undoes, undoneBy, connection }: RunView, colors: Colors): readonly string[] {
  const { preview, outcome, problem, run, units, durationMs } = result;
  const took = durationMs === undefined ? '' : ` in ${durationText(durationMs)}`;
  const lines = problem === undefined ? [] : [`${colors.red('error')} ${problem}`];
  const rest = `${countsText(units)}${took}`;
  if (preview) {
    const where = previewed === undefined ? '' : ` on ${previewed.connection}`;
    const { stays, notLookedAt = [], way } = previewed ?? {};
    const nothing = way === 'stage' ? 'nothing was published' : 'nothing was written';
    const kept = [
      stays === undefined && notLookedAt.length === 0 ? nothing : 'no row was kept',
      ...(stays === undefined ? [] : [`what ${stays.join(', ')} did beside stays`]),
      ...notLookedAt,
    ].join('; ');
    return [...lines, `${colors.bold(`preview${where}`)}: ${rest}; ${kept}`];
  }
  lines.push(`${colors.bold(`run ${run}`)}: ${rest}`);
  if (undoneBy !== undefined) return [...lines, `run ${undoneBy} has undone it`];
  const named = connection === undefined ? '' : ` --connection ${connection}`;
  const resume = `backfill resume ${run}${named}`;
  const elsewhere = units.filter(isElsewhere);
  if (elsewhere.length > 0) {
    const [first] = elsewhere;
    const more = elsewhere.length > 1 ? ` (${elsewhere.length} such units; a task stands for all of its own)` : '';
    lines.push(`once it was run elsewhere: backfill done ${run} ${first?.unit}${named}${more}`);
  }
  const held = units.filter(({ state }) => state === 'held');
  // What wrote elsewhere is not let through by accepting it, and a run of the ledger does not say which that is.
  const accept = held.every((unit) => unit.held === 'escaped')
    ? ''
    : `; those that are right as they are: ${resume} --accept-held`;
  if (held.length > 0) lines.push(`look at the held units: each says what lets it through${accept}`);
  else if (outcome === 'failed' || outcome === 'cancelled') lines.push(...goOnLines(units, { resume, undoes, named }));
  return lines;
}
