import { sameSum } from '../../../diff/row-sum.ts';
import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { takeMovedFigures, type VersionedFigures } from '../../../diff/take-figures.ts';
import { lockTables } from '../../claim/fence.ts';
import type { Applied, AppliedSlice, EscapeVerdict } from '../../record/applied.ts';
import { isUnchanged } from '../../record/decide.ts';
import { applySettings, unhidden } from '../../session/session-settings.ts';
import { oldCopy, stateAfter, stateBefore, versionedState } from '../../tables/slice-state.ts';
import { type Target, tableSql } from '../../tables/target.ts';
import { emptySlices } from '../guards/empty-slices.ts';
import { findEscape, outsideFigures, readWrittenTables, uncountedTables } from '../guards/escape.ts';
import { lastingEffect, readTableFiles } from '../guards/lasting-effects.ts';
import { attachedTo, lostInWords, lostWithTable } from '../guards/lost-with-table.ts';
import { type Redefined, redefinedInWords, redefinedSince, watchRelations } from '../guards/taken-away.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { type Counters, type Position, readPosition } from '../task/position.ts';
import { relationsAfter } from '../task/relations-after.ts';
import { runStatements } from '../task/run-statements.ts';
import { checkRestored, type ImageFigures, restoreSlice } from './before-image.ts';
import { type ComparedSlice, compareSlices } from './compare-slices.ts';
import { droppedSlice } from './dropped-slice.ts';
import { type Published, publishStage, toldByPairs } from './publish-stage.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * Before, task, after, escape, diff: runs the task's statements and tells what they did. Where it is told how the task
 * leaves its targets, all other writers of them are kept out, and the rest of each table is compared instead of counted.
 */
export async function applyTask(unit: OpenUnit, left?: Applied['left']): Promise<Applied> {
  const { session, job, targets } = unit;
  const exact = left !== undefined;
  const whole = exact || job.fromNothing || unit.position.logsDefinitions;
  const staged = whole ? undefined : await openStage(unit, figureSettings(unit, false));
  const { stage, position } = staged ?? { stage: undefined, position: unit.position };
  if (exact) await lockTables(session, targets);
  const hidden = targets.some(({ relation }) => relation?.table.rowSecurity);
  if (hidden) await applySettings(session, unhidden);
  const relations = targets.flatMap(({ relation }, index) => (relation && lasting(relation, left?.[index])) ?? []);
  const outsideBefore = exact ? await outsideFigures(session, relations) : '';
  const before: (VersionedFigures | undefined)[] = [];
  // Of a slice that is filled from a stage only the rows that differ are asked for.
  const uncopied = stage !== undefined && toldByPairs(stage.relation);
  for (const [index, { relation }] of targets.entries()) {
    const state = () => relation && stateBefore(session, relation, index, job.options);
    before.push(await (uncopied && relation ? versionedState(session, relation, unit.known?.[index]) : state()));
  }
  // Temporary tables of our own are no work of the task, whatever a trigger of the database makes of them.
  const ready = position.logsDefinitions ? await readPosition(session, unit.plan.statements) : position;
  const logged: string[] = [];
  for (const [index, { relation }] of targets.entries()) {
    if (relation === undefined || !countsMore(relation, position, ready)) continue;
    before[index] = await stateBefore(session, relation, index, job.options, true);
    logged.push(relation.table.qualified);
  }
  if (hidden) await applySettings(session, { row_security: unit.start.rowSecurity });
  const files = unit.plan.truncates ? await readTableFiles(session, present(targets)) : undefined;
  const attached = unit.plan.altersTables ? await attachedTo(session, targets) : undefined;
  const there = job.restores === undefined ? await watchRelations(unit, exact) : undefined;
  const { published, restored, catalogWritten } = await writeSlices(unit, stage, before, figureSettings(unit, hidden));
  await session.query('set constraints all immediate');
  const redefined =
    there && catalogWritten ? await redefinedSince(session, there, targets, position.ownAge) : undefined;
  const lost = attached?.things.length ? lostWithTable(attached, await attachedTo(session, targets)) : [];
  const written = await readWrittenTables(session);
  const after = await relationsAfter(unit);
  const slices: ComparedSlice[] = [];
  const gone: AppliedSlice[] = [];
  for (const [index, target] of targets.entries()) {
    const relation = after[index];
    if (relation === undefined) continue;
    const image = restored[index];
    if (image === 'dropped') {
      gone.push(droppedSlice(target, relation, before[index], index));
      continue;
    }
    const taken =
      published?.kind === 'same' && before[index] !== undefined
        ? { ...before[index], ownRows: 0 }
        : ((await movedState(unit, relation, before[index], published, position.ownAge)) ??
          (await stateAfter(session, relation, index, job.options, position.ownAge)));
    if (image !== undefined) checkRestored(target, taken, image);
    const { sides, rows, sums, oldRows } = published?.kind === 'written' ? published : noParts;
    const { column } = target.slice;
    const replaced = published !== undefined;
    // Of a table that the task made the schema is known only now.
    const placed = target.relation === undefined ? { ...target, qualified: relation.table.qualified } : target;
    slices.push({
      target: placed,
      index,
      relation,
      column,
      before: before[index],
      after: taken,
      sides,
      rows,
      sums,
      oldRows,
      replaced,
    });
  }
  const proven = exact && (await outsideFigures(session, relations)) === outsideBefore;
  const verdict: EscapeVerdict =
    exact && !proven
      ? { kind: 'escaped', reason: 'Rows outside the slice changed.', tables: bounded(relations), lost: true }
      : await findEscape(
          session,
          slices,
          { ...position, counters: ready.counters },
          { plain: unit.plan.plain, proven, written },
        );
  // Somebody else wrote the slice meanwhile: only the task itself, with the others kept out, can tell what comes of it.
  const expected = published?.kind === 'written' ? published.expected : undefined;
  const disturbed = expected !== undefined && slices.some((slice) => !sameSum(slice.after.figures, expected));
  // What nobody looked for in the catalog was changed: only where it was before can be told what it was.
  const unwatched = catalogWritten && there === undefined && job.restores === undefined && job.outside === undefined;
  const inDoubt = verdict.kind === 'doubt' || ((disturbed || unwatched) && verdict.kind === 'none');
  if (inDoubt && job.outside === undefined) return { slices: [], notes: [], escape: { kind: 'doubt' }, left: after };
  const settled: EscapeVerdict = inDoubt ? { kind: 'none' } : verdict;
  const uncounted = job.restores === undefined ? uncountedTables(written) : [];
  const compares = await compareSlices(unit, slices);
  const stays = staying({ redefined, lost, uncounted });
  const away = redefined && redefinedInWords(redefined);
  const told = {
    slices: withStaying([...compares.slices, ...gone], stays),
    notes: [
      ...compares.notes,
      ...uncounted.map(uncountedNote),
      ...[lostInWords(lost) ?? []].flat(),
      ...(compares.slices.every(isUnchanged) ? [] : logged.map(loggedNote)),
    ],
    ...(uncounted.length > 0 ? { uncounted } : {}),
  };
  const compared = inDoubt ? { ...told, notes: [...told.notes, untold] } : told;
  const isAsked = settled.kind === 'none' && job.restores === undefined && compared.slices.every(isUnchanged);
  const { statements } = unit.plan;
  const question = { session, position, statements, catalogWritten, files, targets: present(targets) };
  const lasts = isAsked ? await lastingEffect(question) : undefined;
  if (lasts !== undefined) return { ...compared, escape: settled, lasting: away ?? lasts };
  return { ...compared, notes: [...compared.notes, ...(away === undefined ? [] : [away])], escape: settled };
}

/** Rows of the table were written between the two. */
const countsMore = ({ table }: SliceRelation, earlier: Position, later: Position): boolean =>
  [table.oid, ...table.storage].some(
    (oid) => String(later.counters.get(oid) ?? none) !== String(earlier.counters.get(oid) ?? none),
  );

const none: Counters = [0, 0, 0];

const loggedNote = (table: string): string =>
  `Triggers of the database write into ${table} about temporary tables that a run makes for itself: these rows count as there before the task, and stay.`;

/** What a unit did beside rows of its slices, for who undoes it. */
function staying({
  redefined,
  lost,
  uncounted,
}: {
  readonly redefined: Redefined | undefined;
  readonly lost: readonly string[];
  readonly uncounted: readonly string[];
}): readonly string[] {
  const { changes = [], anew = [] } = redefined ?? {};
  return [
    ...changes,
    ...anew.map((table) => `makes ${table} anew, with the indexes, constraints, rights and comments that it gives it`),
    ...lost.flatMap((what) => (changes.includes(`drops ${what}`) ? [] : [`takes away ${what}`])),
    ...uncounted.map((table) => `writes to the foreign table ${table}`),
  ];
}

/** Kept with the first of its slices: it is of the unit. */
const withStaying = (slices: readonly AppliedSlice[], stays: readonly string[]): readonly AppliedSlice[] =>
  stays.length === 0
    ? slices
    : slices.map((slice, index) => (index === 0 ? { ...slice, diff: { ...slice.diff, stays } } : slice));

const uncountedNote = (table: string): string =>
  `What it wrote to ${table} was neither counted nor compared, and no undo puts it back: it is a foreign table, whose rows are in another database.`;

/** A task that alters tables and is sent once. */
const untold = 'Whether it wrote outside of its slices cannot be told without sending its statements again.';

/** The slice as it was left, from what was read before and its own rows, where nobody else wrote it meanwhile. */
async function movedState(
  { session }: OpenUnit,
  relation: SliceRelation,
  before: VersionedFigures | undefined,
  published: Published | undefined,
  ownAge: string,
): Promise<VersionedFigures | undefined> {
  if (published?.kind !== 'written' || published.gone === undefined || before === undefined) return undefined;
  const { storage } = relation.table;
  const from = { sql: tableSql(relation.table), predicate: relation.predicate, ownAge, storage };
  const [moved] = await takeMovedFigures(session, relation, from, [{ before, gone: published.gone }]);
  return moved;
}

const noParts = { sides: undefined, rows: undefined, sums: undefined, oldRows: undefined };

const present = (targets: readonly Target[]): readonly SliceRelation[] =>
  targets.flatMap(({ relation }) => (relation ? [relation] : []));

/** Names of tables of which only a part is the unit's slice. */
const bounded = (relations: readonly SliceRelation[]): readonly string[] => [
  ...new Set(relations.flatMap(({ table, predicate }) => (predicate === undefined ? [] : [table.qualified]))),
];

/** The task itself: from its stage, by its statements, or as the undo of one. The session is left with `leaving`. */
async function writeSlices(
  unit: OpenUnit,
  stage: Stage | undefined,
  before: readonly (VersionedFigures | undefined)[],
  leaving: Readonly<Record<string, string>>,
): Promise<{
  readonly published?: Published;
  readonly restored: readonly (ImageFigures | 'dropped' | undefined)[];
  readonly catalogWritten: boolean;
}> {
  const { session, job, targets } = unit;
  const [old] = before;
  if (stage !== undefined && old !== undefined) {
    const published = await publishStage(unit, stage, old, oldCopy(0));
    return { published, restored: [], catalogWritten: stage.catalogWritten };
  }
  if (job.restores === undefined) {
    if (job.fromNothing) await emptySlices(session, targets);
    return { restored: [], catalogWritten: await runStatements(unit, leaving) };
  }
  const restored: (ImageFigures | 'dropped' | undefined)[] = [];
  for (const [index, target] of targets.entries()) {
    restored.push(await restoreSlice(session, target, before[index], job.restores, index));
  }
  await applySettings(session, leaving);
  return { restored, catalogWritten: false };
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
