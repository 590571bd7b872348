import type { SliceFigures } from './slice-figures.ts';

/**
 * Why a slice differs from what it was before the unit: what differs between this run and the last one that the
 * ledger has of the same slice.
 */
export type ChangeCause =
  /** The ledger has no earlier run of the slice. */
  | { readonly kind: 'first-run' }
  /** Somebody else changed the rows since the last run. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'code' }
  /** The same code came out as other SQL: for another interval, other variables or params. */
  | { readonly kind: 'statements' }
  | { readonly kind: 'schema' }
  | { readonly kind: 'settings' }
  /** The input held other rows in the read window than the last run saw. */
  | { readonly kind: 'input'; readonly table: string }
  /** A view that it reads, directly or through others, is defined in another way. */
  | { readonly kind: 'view'; readonly table: string }
  /** What the last run saw of it, or this one, was not recorded. */
  | { readonly kind: 'unrecorded-input'; readonly table: string }
  /** It rests on something that no record holds: a setting, a catalog, code that cannot be read. */
  | { readonly kind: 'unrecorded'; readonly what: string }
  /** Something of the database that may or may not have to do with it. */
  | { readonly kind: 'definitions' }
  /** The scheduler made the last version, or somebody told that it was made elsewhere; what was different then is not recorded. */
  | { readonly kind: 'scheduled' }
  /** A scheduler carried this run out; which code it has is not known. */
  | { readonly kind: 'carried' }
  /** The change of an earlier run was taken back, by this run or the last one. */
  | { readonly kind: 'undo'; readonly run: string }
  /** Each run of the task adds its rows once more. */
  | { readonly kind: 'adds-again' }
  /** The new value of the column is made of the old one; without a column rows come and go. */
  | { readonly kind: 'made-of-itself'; readonly column: string | undefined }
  /** Rows that earlier runs had left go, as was declared. */
  | { readonly kind: 'orphans' }
  /** What the task does goes by the rows that it finds in its own table. */
  | { readonly kind: 'goes-by-own' }
  /** It was tried: a second run from what this one left changes it once more. */
  | { readonly kind: 'changes-again' }
  /** Same code, SQL, schema, settings, definitions and inputs, other rows. */
  | { readonly kind: 'not-deterministic' };

/** A cause that lies in the task itself. */
export type ChangedByItself = Extract<
  ChangeCause,
  { readonly kind: 'adds-again' | 'made-of-itself' | 'goes-by-own' | 'changes-again' }
>;

/** What the causes are told from; `undefined` for what was not recorded. */
export interface ChangeEvidence {
  readonly before: SliceFigures | undefined;
  readonly after: SliceFigures | undefined;
  readonly previous:
    | {
        readonly after: Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>;
        /** The run that the last version took back, instead of code and SQL of its own. */
        readonly undone: string | undefined;
        /** The last version was made elsewhere: nothing of what follows is known of it. */
        readonly scheduled: boolean;
        readonly sameCode: boolean;
        readonly sameStatements: boolean;
        readonly sameDefinitions: boolean;
        readonly sameSchema: boolean;
        readonly sameSettings: boolean;
      }
    | undefined;
  readonly inputs: readonly {
    readonly table: string;
    /** Compared is how it is defined. */
    readonly isView?: boolean;
    readonly same: boolean | undefined;
  }[];
  /** What a second run does to the slice, as far as the code says it or a trial has shown it. */
  readonly again?: ChangedByItself | undefined;
  /** Left-over rows were taken away: that is all of the change, or a part of it. */
  readonly orphans?: 'all' | 'part' | undefined;
  /** A scheduler ran the task, with the code that is deployed there. */
  readonly carried?: boolean;
  /** What the task rests on beside rows, code and settings, in words. */
  readonly unrecorded?: string | undefined;
}

/** The causes of a change, the surest first. Never empty. */
export function changeCauses(evidence: ChangeEvidence): readonly ChangeCause[] {
  if (evidence.orphans === undefined) return causesOf(evidence);
  const others =
    evidence.orphans === 'part' ? causesOf(evidence) : causesOf(evidence).filter(({ kind }) => told.has(kind));
  return [{ kind: 'orphans' }, ...others];
}

/** Causes that stand beside one that explains the whole change: they say why the rows were left over. */
const told: ReadonlySet<ChangeCause['kind']> = new Set(['code', 'statements', 'settings', 'input', 'outside', 'undo']);

function causesOf({
  before,
  after,
  previous,
  inputs,
  unrecorded,
  carried,
  again,
}: ChangeEvidence): readonly ChangeCause[] {
  if (previous === undefined) return [{ kind: 'first-run' }];
  const touched = before !== undefined && sameContent(before, previous.after) === false;
  const outside: readonly ChangeCause[] = touched ? [{ kind: 'outside' }] : [];
  if (touched && after !== undefined && sameContent(after, previous.after) === true) return outside;
  if (previous.scheduled) return [{ kind: 'scheduled' }, ...outside];
  if (carried === true) {
    return [...readCauses(inputs), { kind: 'carried' }, ...outside];
  }
  const known: ChangeCause[] = [
    ...codeCauses(previous),
    ...(previous.sameSchema ? [] : [{ kind: 'schema' } as const]),
    ...(previous.sameSettings ? [] : [{ kind: 'settings' } as const]),
    ...readCauses(inputs),
  ];
  if (known.length > 0) return [...known, ...outside];
  const open: ChangeCause[] = [
    ...(previous.sameDefinitions ? [] : [{ kind: 'definitions' } as const]),
    ...tables(inputs, undefined).map((table) => ({ kind: 'unrecorded-input', table }) as const),
    ...(unrecorded === undefined ? [] : [{ kind: 'unrecorded', what: unrecorded } as const]),
  ];
  return [...outside, ...(open.length > 0 ? open : [again ?? ({ kind: 'not-deterministic' } as const)])];
}

function codeCauses({
  undone,
  sameCode,
  sameStatements,
}: NonNullable<ChangeEvidence['previous']>): readonly ChangeCause[] {
  if (undone !== undefined) return [{ kind: 'undo', run: undone }];
  if (!sameCode) return [{ kind: 'code' }];
  return sameStatements ? [] : [{ kind: 'statements' }];
}

const readCauses = (inputs: ChangeEvidence['inputs']): readonly ChangeCause[] => [
  ...tables(
    inputs.filter(({ isView }) => isView === true),
    false,
  ).map((table) => ({ kind: 'view', table }) as const),
  ...tables(
    inputs.filter(({ isView }) => isView !== true),
    false,
  ).map((table) => ({ kind: 'input', table }) as const),
];

const tables = (inputs: ChangeEvidence['inputs'], same: boolean | undefined): readonly string[] => [
  ...new Set(inputs.filter((input) => input.same === same).map(({ table }) => table)),
];

/** Whether two figures are of equal rows; `undefined` where they cannot be compared. */
export function sameContent(
  a: Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>,
  b: Pick<SliceFigures, 'rows' | 'rowChecksum' | 'algorithm'>,
): boolean | undefined {
  if (a.algorithm !== b.algorithm || a.rowChecksum === '' || b.rowChecksum === '') return undefined;
  return a.rows === b.rows && a.rowChecksum === b.rowChecksum;
}

export function causeInWords(cause: ChangeCause): string {
  switch (cause.kind) {
    case 'first-run':
      return 'no earlier run of this slice is known';
    case 'outside':
      return 'the rows were changed by something else since the last run';
    case 'code':
      return 'the code of the task changed';
    case 'statements':
      return 'the SQL came out otherwise than in the last run: another interval, other variables or params';
    case 'definitions':
      return 'a function, trigger, default, policy, operator, type, collation, text search configuration, foreign server or setting of the database changed since the last run';
    case 'schema':
      return 'the schema of the table changed';
    case 'settings':
      return 'the session settings changed';
    case 'input':
      return `${cause.table} holds other rows than the last run read`;
    case 'view':
      return `the view ${cause.table} was redefined`;
    case 'unrecorded-input':
      return `not known: what this run or the last one read of ${cause.table} was not recorded`;
    case 'unrecorded':
      return `it rests on ${cause.what}, which no record holds`;
    case 'scheduled':
      return 'the last version was made elsewhere (by its scheduler, or told with backfill done), and what that saw was not recorded';
    case 'carried':
      return 'a scheduler ran it, and whether its code there is that of the last run is not known';
    case 'undo':
      return `run ${cause.run} was undone`;
    case 'adds-again':
      return 'nothing that it depends on changed: the task only adds rows, and each run adds them again';
    case 'made-of-itself':
      return cause.column === undefined
        ? 'nothing that it depends on changed: each run of the task takes back what the one before has inserted or deleted'
        : `nothing that it depends on changed: the task makes ${cause.column} of its old value, so each run changes it again`;
    case 'orphans':
      return 'orphans: delete takes away rows that earlier runs left';
    case 'goes-by-own':
      return 'nothing else that it depends on changed: what the task does goes by the rows that it finds in its own table, or is not deterministic';
    case 'changes-again':
      return 'nothing that it depends on changed: each run of the task changes it again';
    case 'not-deterministic':
      return 'nothing that it depends on changed: the task is not deterministic';
  }
}

/** All causes in one sentence; empty for no causes. */
export const causesInWords = (causes: readonly ChangeCause[]): string => causes.map(causeInWords).join('; ');
