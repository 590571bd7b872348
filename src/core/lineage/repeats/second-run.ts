import { rowDrawer } from './draw-rows.ts';
import { type Evaluated, evaluateCondition, evaluateTerm, type Surroundings } from './evaluate-term.ts';
import { knownFunction, sameValue } from './known-functions.ts';
import type { Rewrite } from './rewrite.ts';
import { ownColumns, type Term, termsIn, type Value } from './term.ts';

/**
 * What a second run does to a column that a first one has written. `same`: nothing, whatever the rows hold. `kept`:
 * nothing, because the rows no longer meet the conditions. `changes`: it gives other values. `open`: not known; `why` says
 * what decides it.
 */
export type SecondRun =
  | { readonly kind: 'same' | 'kept' | 'changes' }
  | { readonly kind: 'open'; readonly why: string };

export const samples = 900;
/** Of the rows that a first run changes; where a second changes fewer of them, it rests on the values. */
const most = 0.6;

/** Runs a rewrite twice on rows that are made up, and compares. Draws the same rows each time. */
export function secondRun(given: Rewrite): ReadonlyMap<string, SecondRun> {
  const found = new Map<string, SecondRun>();
  const made = new Set(given.columns.map(({ column }) => column));
  const rewrite = withSettled(given, made);
  const dependent = rewrite.columns.filter(({ term }) => [...ownColumns(term)].some((one) => made.has(one)));
  if (dependent.length === 0) return found;
  const onMade = rewrite.conditions.filter((one) => [...ownColumns(one)].some((column) => made.has(column)));
  const asked = onMade.length > 0;
  const first = countChanges(rewrite, rewrite.conditions);
  // What rests on nothing that is set holds both times, if it ever does: no row need be found for it.
  const isMissed = first.rows === 0 && (asked || first.unfit >= samples / 2);
  const counted = isMissed ? countChanges(rewrite, onMade) : first;
  for (const { column, term } of dependent) {
    const { [column]: counts = none } = counted.columns;
    const unknown = openIn(term);
    if (counts.known === 0) {
      // No row is both read and written: other rows are meant.
      if (counted.rows === 0 && counted.unfit < samples / 2 && asked === false) continue;
      const why = unknown ?? (counted.isOpen ? 'which rows it takes a second time' : 'the types of what it is made of');
      found.set(column, { kind: 'open', why });
      continue;
    }
    if (counts.again === 0) {
      const without = asked && kept(rewrite, column, made);
      found.set(column, { kind: without ? 'kept' : 'same' });
      continue;
    }
    if (rewrite.isVague)
      found.set(column, { kind: 'open', why: 'whether the row that is read is the one that is written' });
    else if (counted.isOpen) found.set(column, { kind: 'open', why: 'which rows it takes a second time' });
    else if (counts.again >= counts.first * most) found.set(column, { kind: 'changes' });
    else found.set(column, { kind: 'open', why: 'the values that are there' });
  }
  return found;
}

/** What is not known, but rests on no column that the rewrite sets, is the same in both runs, whatever it is. */
function withSettled(rewrite: Rewrite, made: ReadonlySet<string>): Rewrite {
  const settled = (term: Term): Term => {
    const isOpen = term.kind === 'open' && term.source !== undefined;
    if (isOpen && ![...ownColumns(term)].some((column) => made.has(column)))
      return { kind: 'fixed', name: `of ${term.source}`, isGiven: false };
    return term.kind === 'apply' || term.kind === 'open' ? { ...term, arguments: term.arguments.map(settled) } : term;
  };
  return {
    ...rewrite,
    columns: rewrite.columns.map((one) => ({ ...one, term: settled(one.term) })),
    conditions: rewrite.conditions.map(settled),
  };
}

/** Whether only the conditions on columns that the rewrite sets keep a second run from another change. */
function kept(rewrite: Rewrite, column: string, made: ReadonlySet<string>): boolean {
  const rest = rewrite.conditions.filter((one) => ![...ownColumns(one)].some((own) => made.has(own)));
  return (countChanges(rewrite, rest).columns[column] ?? none).again > 0;
}

interface Counts {
  readonly known: number;
  /** Rows whose value the first run changes, and those whose value the second one does. */
  readonly first: number;
  readonly again: number;
}
const none: Counts = { known: 0, first: 0, again: 0 };

interface Counted {
  readonly columns: Readonly<Record<string, Counts>>;
  /** Rows that meet the conditions. */
  readonly rows: number;
  readonly unfit: number;
  /** A condition of the second run is not known. */
  readonly isOpen: boolean;
}

function countChanges({ columns, hints = [] }: Rewrite, conditions: readonly Term[]): Counted {
  const all = [...columns.map(({ term }) => term), ...conditions];
  const draw = rowDrawer([...all, ...hints], conditions, hints);
  const counts: Record<string, { known: number; first: number; again: number }> = {};
  const made = new Set(columns.map(({ column }) => column));
  let [rows, unfit, isOpen] = [0, 0, false];
  for (let sample = 0; sample < samples; sample++) {
    const around = draw();
    const holds = holding(conditions, around, () => false);
    if (holds === 'unfit') unfit++;
    if (holds !== true) continue;
    rows++;
    const once = rewritten(columns, around);
    const next: Surroundings = { fixed: around.fixed, own: new Map([...around.own, ...once.known]) };
    const stays = holding(conditions, next, (one) => [...ownColumns(one)].some((column) => made.has(column)));
    if (stays === 'open') isOpen = true;
    const twice = stays === true ? rewritten(columns, next).known : new Map<string, Value>();
    for (const [column, value] of once.known) {
      const second = stays === true ? twice.get(column) : value;
      if (second === undefined) continue;
      counts[column] ??= { known: 0, first: 0, again: 0 };
      if (value !== null || around.own.get(column) !== null) counts[column].known++;
      if (!sameValue(value, around.own.get(column) ?? null)) counts[column].first++;
      if (!sameValue(value, second)) counts[column].again++;
    }
  }
  return { columns: counts, rows, unfit, isOpen };
}

function rewritten(columns: Rewrite['columns'], around: Surroundings): { readonly known: ReadonlyMap<string, Value> } {
  const known = new Map<string, Value>();
  for (const { column, term } of columns) {
    const found = evaluateTerm(term, around);
    if (typeof found !== 'string') known.set(column, found.value);
  }
  return { known };
}

/** Whether all conditions hold; what is not known holds, unless it `matters`. */
export function holding(
  conditions: readonly Term[],
  around: Surroundings,
  matters: (one: Term) => boolean,
): boolean | 'unfit' | 'open' {
  let open = false;
  for (const condition of conditions) {
    const found: Evaluated = evaluateCondition(condition, around);
    if (found === 'unfit') return 'unfit';
    if (found === 'open') open ||= matters(condition);
    else if (found.value !== true) return false;
  }
  return open ? 'open' : true;
}

/** What in a term is not known. */
function openIn(term: Term): string | undefined {
  for (const one of termsIn(term)) {
    if (one.kind === 'open') return one.what;
    if (one.kind === 'apply' && knownFunction(one.name) === undefined)
      return `whether ${one.name}(${one.name}(…)) is ${one.name}(…)`;
  }
  return undefined;
}
