import fc from 'fast-check';
import { type Case, cases, unitCount } from '../random-pipelines/arbitrary.ts';
import type { History } from '../random-pipelines/changed-case.ts';
import { extras, withExtras } from '../random-pipelines/extras.ts';

/** What can go wrong between a runner and its server. */
export const faultKinds = [
  'cut',
  'abandoned',
  'frozen',
  'terminated',
  'crashed',
  'killed',
  'stopped',
  'table locked',
  'ledger locked',
  'deadlock',
  'disk full',
  'restarted',
  'no connections',
  'read-only',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What else goes on beside a run, or after it. */
export const turns = ['same plan', 'other plan', 'same run', 'undo after', 'undo between'] as const;
export type Turn = (typeof turns)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Where: the n-th statement of all that are expected, in thousandths, or of those that commit. */
  readonly at: number;
  readonly of: 'statements' | 'commits';
  readonly moment: 'before' | 'after';
  /** Which of several tables, lines, …; any number. */
  readonly which: number;
}

export interface Scenario {
  /** One process after the other, each with its fault; the one that follows them has none. */
  readonly lives: readonly Fault[];
  readonly turn: Turn | undefined;
  /** Of the undo, where there is one. */
  readonly undoFault: Fault;
  readonly history: History;
  /** Units keep other writers out of their tables, and so take turns. */
  readonly lockTable: boolean;
  /** Lives in processes of their own, as command lines. */
  readonly shipped: boolean;
  readonly otherPlan: { readonly task: number; readonly from: number; readonly days: number };
}

const fault = (kind: fc.Arbitrary<FaultKind>): fc.Arbitrary<Fault> =>
  fc.record({
    kind,
    at: fc.nat({ max: 999 }),
    of: fc.constantFrom('statements', 'statements', 'commits'),
    moment: fc.constantFrom('before', 'after'),
    which: fc.nat({ max: 999 }),
  });

const anyKind = fc.constantFrom(...faultKinds);

/** What tasks do beside and may do: rows that nobody declared are held, and a run that made a table is not undone. */
const beside = extras.filter((extra) => extra !== 'hidden write');

/** Pipelines of more units take long to run twice, and say no more about faults. */
const mostUnits = 60;

/**
 * The case of a seed: any pipeline, change and scenario, where each of the faults comes first in one of so many seeds in
 * a row, and each turn in one of so many.
 */
export function caseOf(seed: number): { readonly one: Case; readonly scenario: Scenario } {
  const first = faultKinds[seed % faultKinds.length] as FaultKind;
  const turn = ([undefined, ...turns] as const)[Math.floor(seed / 2) % (turns.length + 1)];
  const scenario = fc
    .record({
      first: fault(fc.constant(first)),
      more: fc.array(fault(anyKind), { maxLength: 2 }),
      undoFault: fault(anyKind),
      // Most are found: to run one takes as long as all that is done to it.
      history: fc.constantFrom<History>('run', 'found', 'found', 'found'),
      lockTable: fc.boolean(),
      shipped: fc.nat({ max: 3 }),
      otherPlan: fc.record({ task: fc.nat(), from: fc.nat({ max: 99 }), days: fc.integer({ min: 1, max: 5 }) }),
    })
    .map(
      ({ first: begin, more, shipped, ...rest }): Scenario => ({
        ...rest,
        lives: [begin, ...more],
        turn,
        shipped: shipped === 0,
      }),
    );
  const both = fc.record({ one: cases, scenario });
  for (let draw = 0; ; draw++) {
    const [drawn] = fc.sample(both, { seed: seed * 1000 + draw, numRuns: 1 });
    if (drawn === undefined || unitCount(drawn.one.model) > mostUnits) continue;
    if (seed % 3 > 0) return drawn;
    const { one, scenario: drawnScenario } = drawn;
    const isUndone = turn === 'undo after' || turn === 'undo between';
    const among = beside.filter((extra) => !isUndone || (extra !== 'side table' && extra !== 'swap'));
    return { one: { ...one, model: withExtras(one.model, one.chance, among) }, scenario: drawnScenario };
  }
}
