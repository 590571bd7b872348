import { compareRows } from '../../diff/compare-rows.ts';
import { sameSum } from '../../diff/row-sum.ts';
import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { SliceRelation } from '../../diff/slice-relation.ts';
import type { TakenFigures } from '../../diff/take-figures.ts';
import { describeTables, type TypeCache } from '../../warehouse/describe-tables.ts';
import type { Session, WarehouseDescription } from '../../warehouse/ports.ts';
import type { TableDescription } from '../../warehouse/table-description.ts';
import type { UnitJob } from '../unit-job.ts';
import { checkRestored, type ImageFigures, restoreSlice } from './before-image.ts';
import type { DoubledKeys } from './doubled-keys.ts';
import { type EscapeSlice, type EscapeVerdict, findEscape, outsideFigures } from './escape.ts';
import { lockTables } from './fence.ts';
import type { Position } from './marker.ts';
import { runStatements } from './run-statements.ts';
import { applySettings, type StartSettings, unhidden } from './session-settings.ts';
import { oldCopy, stateAfter, stateBefore } from './slice-state.ts';
import { openStage, type Published, publishStage, type Stage } from './stage.ts';
import { relationOf, type Target, tableSql } from './target.ts';
import type { TaskPlan } from './task-plan.ts';

/** A unit's transaction, open, fenced and locked, with the savepoint of the unit set. */
export interface OpenUnit {
  readonly session: Session;
  readonly job: UnitJob;
  readonly plan: TaskPlan & { readonly kind: 'ready' };
  readonly targets: readonly Target[];
  readonly position: Position;
  readonly start: StartSettings;
  readonly server: WarehouseDescription;
  readonly types: TypeCache;
}

export interface AppliedSlice {
  readonly target: Target;
  readonly table: TableDescription;
  readonly diff: SliceDiff;
}

export interface Applied {
  readonly slices: readonly AppliedSlice[];
  readonly notes: readonly string[];
  readonly escape: EscapeVerdict;
  /** In doubt: the targets as the task left them. */
  readonly left?: readonly (SliceRelation | undefined)[];
  readonly doubled?: DoubledKeys;
}

/**
 * Before, task, after, escape, diff: runs the task's statements and tells what they did. Where it is told how the task
 * leaves its targets, all other writers of them are kept out, and the rest of each table is compared instead of counted.
 */
export async function applyTask(unit: OpenUnit, left?: Applied['left']): Promise<Applied> {
  const { session, job, targets } = unit;
  const exact = left !== undefined;
  const staged = exact ? undefined : await openStage(unit, figureSettings(unit, false));
  const { stage, position } = staged ?? { stage: undefined, position: unit.position };
  if (exact) await lockTables(session, targets);
  const hidden = targets.some(({ relation }) => relation?.table.rowSecurity);
  if (hidden) await applySettings(session, unhidden);
  const relations = targets.flatMap(({ relation }, index) => (relation && lasting(relation, left?.[index])) ?? []);
  const outsideBefore = exact ? await outsideFigures(session, relations) : '';
  const before: (TakenFigures | undefined)[] = [];
  for (const [index, { relation }] of targets.entries()) {
    before.push(relation && (await stateBefore(session, relation, index, job.options)));
  }
  if (hidden) await applySettings(session, { row_security: unit.start.rowSecurity });
  const { published, restored } = await writeSlices(unit, stage, before, figureSettings(unit, hidden));
  await session.query('set constraints all immediate');
  const after = await relationsAfter(unit);
  const slices: ComparedSlice[] = [];
  for (const [index, target] of targets.entries()) {
    const relation = after[index];
    if (relation === undefined) continue;
    const taken =
      published?.kind === 'same' && before[index] !== undefined
        ? { ...before[index], ownRows: 0 }
        : await stateAfter(session, relation, index, job.options, position.ownAge);
    const image = restored[index];
    if (image !== undefined) checkRestored(target, taken, image);
    const sides = published?.kind === 'written' ? published.sides : undefined;
    slices.push({ target, index, relation, column: target.slice.column, before: before[index], after: taken, sides });
  }
  const proven = exact && (await outsideFigures(session, relations)) === outsideBefore;
  const verdict: EscapeVerdict =
    exact && !proven
      ? { kind: 'escaped', reason: 'Rows outside the slice changed.', lost: true }
      : await findEscape(session, slices, position, { plain: unit.plan.plain, proven });
  // Somebody else wrote the slice meanwhile: only the task itself, with the others kept out, can tell what comes of it.
  const expected = published?.kind === 'written' ? published.expected : undefined;
  const disturbed = expected !== undefined && slices.some((slice) => !sameSum(slice.after.figures, expected));
  if (verdict.kind === 'doubt' || (disturbed && verdict.kind === 'none'))
    return { slices: [], notes: [], escape: { kind: 'doubt' }, left: after };
  return { ...(await compareSlices(unit, slices)), escape: verdict };
}

/** The task itself: from its stage, by its statements, or as the undo of one. The session is left with `leaving`. */
async function writeSlices(
  unit: OpenUnit,
  stage: Stage | undefined,
  before: readonly (TakenFigures | undefined)[],
  leaving: Readonly<Record<string, string>>,
): Promise<{ readonly published?: Published; readonly restored: readonly (ImageFigures | undefined)[] }> {
  const { session, job, targets } = unit;
  const [old] = before;
  if (stage !== undefined && old !== undefined) {
    return { published: await publishStage(unit, stage, old, oldCopy(0)), restored: [] };
  }
  if (job.restores === undefined) {
    await runStatements(unit, leaving);
    return { restored: [] };
  }
  const restored: (ImageFigures | undefined)[] = [];
  for (const [index, target] of targets.entries()) {
    restored.push(await restoreSlice(session, target, before[index], job.restores, index));
  }
  await applySettings(session, leaving);
  return { restored };
}

/** With the columns only that the task leaves as they are: what it drops or alters cannot be compared with before. */
function lasting(relation: SliceRelation, left: SliceRelation | undefined): SliceRelation {
  if (left === undefined) return relation;
  const kept = new Set(left.table.columns.map(({ name, type }) => `${name} ${type}`));
  const columns = relation.table.columns.filter(({ name, type }) => kept.has(`${name} ${type}`));
  return { ...relation, table: { ...relation.table, columns } };
}

/** Figures and predicates see the scheduler's settings, whatever the task set, and the role that began. */
const figureSettings = ({ job, start }: OpenUnit, hidden: boolean): Readonly<Record<string, string>> => ({
  client_encoding: 'UTF8',
  ...job.options.settings,
  ...(hidden ? unhidden : {}),
  role: start.role,
});

/** Tables that the task made or altered are looked up anew. */
async function relationsAfter(unit: OpenUnit): Promise<readonly (SliceRelation | undefined)[]> {
  const { session, targets, plan, server, types } = unit;
  if (!plan.altersTables && targets.every(({ relation }) => relation !== undefined)) {
    return targets.map(({ relation }) => relation);
  }
  const tables = await describeTables(
    session,
    targets.map(({ slice }) => slice.table),
    types,
  );
  return targets.map(({ slice }, index) => {
    const table = tables[index];
    return table && relationOf(slice, table, server, unit.job.options);
  });
}

export type ComparedSides = Parameters<typeof compareRows>[2];

/** A slice before and after; `sides`: where its rows are, if not in the old copy and in the live table. */
export interface ComparedSlice extends EscapeSlice {
  readonly target: Target;
  readonly index: number;
  readonly sides?: ComparedSides | undefined;
}

export async function compareSlices(
  unit: Pick<OpenUnit, 'session' | 'job' | 'plan'>,
  slices: readonly ComparedSlice[],
): Promise<{ slices: readonly AppliedSlice[]; notes: readonly string[] }> {
  const notes: string[] = [...unit.plan.notes];
  const applied: AppliedSlice[] = [];
  for (const { target, index, relation, before, after, sides } of slices) {
    const { slice } = target;
    const schemaNote = before && schemaChange(target.relation?.table, relation.table);
    if (schemaNote !== undefined) notes.push(schemaNote);
    const keyUsable = (before?.keyUsable ?? true) && after.keyUsable;
    // Rows may be the same to the byte under other types: undoing that would take the task's ALTER back.
    const equal = before !== undefined && schemaNote === undefined && sameFigures(before, after);
    const rowsCompared = unit.job.options.compare === 'rows' && before !== undefined && schemaNote === undefined;
    const comparison =
      rowsCompared && !equal
        ? await compareRows(
            unit.session,
            relation,
            sides ?? { old: oldCopy(index), live: tableSql(relation.table), predicate: relation.predicate },
            { keyUsable, samples: unit.job.options.samples },
          )
        : undefined;
    const compared = keyUsable ? ('key' as const) : ('multiset' as const);
    applied.push({
      target,
      table: relation.table,
      diff: {
        table: slice.table,
        column: slice.column,
        from: slice.from,
        to: slice.to,
        before: before?.figures,
        after: after.figures,
        added: comparison?.added ?? (equal ? 0 : undefined),
        removed: comparison?.removed ?? (equal ? 0 : undefined),
        changed: comparison?.changed ?? (equal ? 0 : undefined),
        withinTolerance: comparison?.withinTolerance ?? (equal ? 0 : undefined),
        columns: comparison?.columns ?? [],
        samples: comparison?.samples ?? [],
        method: comparison?.method ?? (equal ? compared : 'none'),
        key: relation.key,
        leftOut: relation.volatile.filter((name) => relation.table.columns.some((column) => column.name === name)),
        causes: [],
      },
    });
  }
  return { slices: applied, notes };
}

/** Equal figures mean equal rows; a mere count never does. */
export const sameFigures = (before: TakenFigures, after: TakenFigures): boolean =>
  before.figures.algorithm === after.figures.algorithm &&
  before.figures.rowChecksum !== '' &&
  before.figures.rows === after.figures.rows &&
  before.figures.rowChecksum === after.figures.rowChecksum;

export const describeSchema = (table: TableDescription): string =>
  table.columns.map(({ name, type, notNull }) => `${name} ${type}${notNull ? ' not null' : ''}`).join(', ');

function schemaChange(before: TableDescription | undefined, after: TableDescription): string | undefined {
  if (before === undefined || describeSchema(before) === describeSchema(after)) return undefined;
  const columns = (table: TableDescription) => new Set(table.columns.map(({ name, type }) => `${name} ${type}`));
  const [old, now] = [columns(before), columns(after)];
  const added = [...now].filter((column) => !old.has(column)).map((column) => `+${column}`);
  const dropped = [...old].filter((column) => !now.has(column)).map((column) => `-${column}`);
  return `The schema of ${after.qualified} changed (${[...added, ...dropped].join(', ') || 'constraints'}): rows were not compared.`;
}
