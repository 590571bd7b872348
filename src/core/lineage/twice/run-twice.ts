import type { TaskSql } from '../../pipeline/model/model.ts';
import { within } from '../../sql/model/sql-search.ts';
import { walkExpressions } from '../../sql/model/walk.ts';
import { generator } from '../repeats/draw-rows.ts';
import type { Value } from '../repeats/term.ts';
import { type ColumnValues, columnValues, isIdName } from './column-values.ts';
import { givenOn } from './given-on.ts';
import { partialKey } from './partial-key.ts';
import { NotRun, Refused } from './rows/not-run.ts';
import type { WorldKey, WorldTable } from './rows/relation.ts';
import { today } from './rows/run-expression.ts';
import { piecesOf, programOf } from './statements/program.ts';
import type { StatementPiece, Step } from './statements/read-body.ts';
import { runProgram } from './statements/run-program.ts';
import type { Tables } from './statements/run-statement.ts';

/** What is known of a table that a task names. */
export interface KnownTable {
  /** In order; empty where nobody has said them. */
  readonly columns: readonly { readonly name: string; readonly notNull: boolean; readonly isNumbered?: true }[];
  readonly keys: readonly (readonly string[])[];
  readonly partialKeys?: readonly { readonly columns: readonly string[]; readonly where: string }[] | undefined;
}

/** Of made-up worlds in which a first run changes a table: what a second one does to it. */
export interface SecondState {
  readonly worlds: number;
  /** It leaves the table as it is. */
  readonly same: number;
  readonly adds: number;
  readonly loses: number;
  /** As many rows, others. */
  readonly changes: number;
  /** It fails on a key. */
  readonly refused: number;
  /** Columns that have other values then, each with in how many worlds. */
  readonly columns: ReadonlyMap<string, number>;
}

const worlds = 60;
/** Where so many of the first worlds cannot be run, none is. */
const tries = 8;
/** Of fewer nothing is said. */
const fewest = 8;

/**
 * Runs all that a task does twice, on small tables that are made up, and counts what the second run does to one of them.
 * `isEnough`: no more of them need be asked. `nulls`: columns that may hold NULL beside those that a statement asks for it. `undefined`: something in it is not followed.
 */
export function runTwice(
  texts: readonly TaskSql[],
  target: string,
  known: (table: string) => KnownTable,
  isEnough: (state: SecondState) => boolean = () => false,
  nulls: (table: string, column: string) => boolean = () => false,
): SecondState | undefined {
  const program = programOf(texts);
  if (program === undefined) return undefined;
  const pieces = piecesOf(program);
  const all = pieces.statements.flatMap(({ statement }) => [statement, ...statement.modifying]);
  const named = all.flatMap(({ targets, reads }) => [...targets, ...reads]);
  const tables = [...new Set(named.map(({ name }) => name))];
  const isTwice = tables.some((a) => tables.some((b) => a.endsWith(`.${b}`)));
  if (isTwice || !tables.includes(target) || named.some(({ templated }) => templated)) return undefined;
  const partial = new Map(
    tables.map((name) => [name, (known(name).partialKeys ?? []).map((one) => partialKey(one, name))]),
  );
  const asked = [...partial.values()].flat().flatMap(({ piece }) => piece);
  const values = columnValues({ ...pieces, statements: [...pieces.statements, ...asked] }, givenOn(today));
  const fills = all.some(({ kind, target: into }) => (kind === 'insert' || kind === 'merge') && into?.name === target);
  const world: World = {
    program,
    target,
    tables,
    known,
    partial: new Map([...partial].map(([name, keys]) => [name, keys.map(({ key }) => key)])),
    values,
    nulls,
    fills,
    onlyDeletes: all.every(({ kind }) => kind === 'delete' || kind === 'select'),
    asksForDeleted: pieces.statements.some(({ statement }) =>
      statement.modifying.some((one) => one.kind === 'delete' && one.target?.name === target),
    ),
    rows: pieces.statements.some(cutsIntoParts) ? 14 : 6,
    chance: generator(),
  };
  const found = { worlds: 0, same: 0, adds: 0, loses: 0, changes: 0, refused: 0 };
  const columns = new Map<string, number>();
  let failed = 0;
  for (let index = 0; index < worlds; index++) {
    try {
      const seen = inWorld(world);
      if (seen === undefined) continue;
      found.worlds++;
      found[seen.kind]++;
      if (found.worlds >= fewest && isEnough({ ...found, columns })) break;
      for (const name of seen.columns) columns.set(name, (columns.get(name) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof NotRun)) throw error;
      failed++;
      if (failed === index + 1 && failed >= tries) return undefined;
    }
  }
  return failed > found.worlds || found.worlds < fewest ? undefined : { ...found, columns };
}

/** `ntile(10)` needs that many rows. */
function cutsIntoParts({ statement }: StatementPiece): boolean {
  let found = false;
  walkExpressions(statement, (one) => {
    found ||= within(one).some((call) => call.kind === 'call' && call.name === 'ntile');
  });
  return found;
}

interface World {
  readonly program: readonly Step[];
  readonly target: string;
  readonly tables: readonly string[];
  readonly known: (table: string) => KnownTable;
  readonly partial: ReadonlyMap<string, readonly WorldKey[]>;
  readonly values: ColumnValues;
  readonly nulls: (table: string, column: string) => boolean;
  /** Its rows come from the task itself. */
  readonly fills: boolean;
  readonly onlyDeletes: boolean;
  /** A DELETE in WITH takes rows of it that its own statement still sees. */
  readonly asksForDeleted: boolean;
  readonly rows: number;
  readonly chance: () => number;
}

interface Seen {
  readonly kind: 'same' | 'adds' | 'loses' | 'changes' | 'refused';
  readonly columns: readonly string[];
}

function inWorld(world: World): Seen | undefined {
  const { program, target, tables, fills } = world;
  let count = 0;
  const anew = (): Value => `~${count++}`;
  const drawn = (name: string): WorldTable => drawTable(name, world, anew);
  // A statement that asks for rows which it deletes itself leaves what depends on the rows of before, whoever wrote them.
  const isFilled = (name: string): boolean =>
    name === target && fills && !(world.asksForDeleted && world.chance() < 0.5);
  let now: Tables = new Map(tables.map((name) => [name, isFilled(name) ? { ...drawn(name), rows: [] } : drawn(name)]));
  if (fills && world.chance() < 0.7) {
    // What stands there is what an earlier run has made of other rows: of the interval before, or of this one before its
    // source was put right.
    const day = world.chance() < 0.5 ? today - 1 : today;
    try {
      now = runProgram(program, now, { anew, clock: anew(), given: givenOn(day) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    now = new Map(
      [...now].map(([name, table]) => [name, name === target || !tables.includes(name) ? table : drawn(name)]),
    );
  }
  const around = () => ({ anew, clock: anew(), given: givenOn(today) });
  const before = contentsOf(now.get(target));
  let once: Tables;
  try {
    once = runProgram(program, now, around());
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
  const first = contentsOf(once.get(target));
  if (first.join() === before.join()) return undefined;
  let twice: Tables;
  try {
    twice = runProgram(program, once, around());
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', columns: [] };
    throw error;
  }
  const second = contentsOf(twice.get(target));
  if (second.join() === first.join()) return { kind: 'same', columns: [] };
  const kind = second.length > first.length ? 'adds' : second.length < first.length ? 'loses' : 'changes';
  return { kind, columns: kind === 'changes' ? changedColumns(once.get(target), twice.get(target)) : [] };
}

/** What is another value in each row stands for itself. */
const plain = (value: Value): Value => (typeof value === 'string' && value.startsWith('~') ? '~' : value);

const contentsOf = (table: WorldTable | undefined): readonly string[] =>
  (table?.rows ?? []).map((row) => JSON.stringify(row.slice(0, -1).map(plain))).sort();

const changedColumns = (before: WorldTable | undefined, after: WorldTable | undefined): readonly string[] =>
  (before?.columns.slice(0, -1) ?? []).filter((_, index) => {
    const values = (table: WorldTable | undefined): string =>
      (table?.rows ?? [])
        .map((row) => JSON.stringify(plain(row[index] ?? null)))
        .sort()
        .join();
    return values(before) !== values(after);
  });

function drawTable(name: string, world: World, anew: () => Value): WorldTable {
  const { known, values, nulls, chance, target, fills, onlyDeletes } = world;
  const { columns, keys } = known(name);
  const partial = world.partial.get(name) ?? [];
  const names = columns.length > 0 ? columns.map((one) => one.name) : values.names;
  const numbered = columns.filter(({ isNumbered }) => isNumbered === true).map((one) => one.name);
  const own = names.includes('id') ? 'id' : names.find(isIdName);
  const whole = keys.map((one): WorldKey => ({ columns: one }));
  const stands = name === target && !fills;
  // Nobody has said of it that no two rows are alike, and a task that only deletes may be there for that.
  const apart = keys.length > 0 ? whole : own === undefined || (stands && onlyDeletes) ? [] : [{ columns: [own] }];
  const rows: Value[][] = [];
  const pick = (all: readonly Value[]): Value => all[Math.floor(chance() * all.length)] ?? 1;
  for (let made = 0; made < world.rows; made++) {
    const row = names.map((column): Value => {
      const mayBeNull = nulls(name, column) || values.isAskedForNull(column);
      const isNever = columns.some((one) => one.name === column && one.notNull);
      return mayBeNull && !isNever && chance() < 0.35 ? null : pick(values.poolOf(column));
    });
    const same = (other: readonly Value[], column: string): boolean => {
      const at = names.indexOf(column);
      return row[at] !== null && row[at] === other[at];
    };
    const clashes = (other: readonly Value[]): boolean =>
      apart.some((key) => key.columns.length > 0 && key.columns.every((column) => same(other, column)));
    if (!rows.some(clashes)) rows.push(row);
  }
  return {
    columns: [...names, 'ctid'],
    rows: rows.map((row) => [...row, anew()]),
    keys: [...whole, ...partial],
    numbered,
    isOrdered: columns.length > 0,
  };
}
