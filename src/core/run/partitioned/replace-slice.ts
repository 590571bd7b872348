import type { SliceFigures } from '../../diff/slice-figures.ts';
import { sameFigures } from '../../diff/take-figures.ts';
import { refreshSql } from '../../warehouse/dialects/spark/table-sql.ts';
import { atVersion, replaceWhereSql, versionsOf, versionsSql } from '../../warehouse/dialects/spark/version-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { type LakeFigures, lakeFigures, versionRows } from './compare/lake-figures.ts';
import { type Stage, stageTable } from './compare/stage.ts';
import type { ReplacedVersion } from './publish-handle.ts';
import type { LakeTarget } from './target/lake-table.ts';

/** What a replacing goes over: `fenced` does a step while the unit's claim is held, and not where it is gone. */
export interface Replacer {
  readonly lake: Session;
  readonly at: LakeTarget;
  readonly stage: Stage;
  readonly fenced: (step: () => Promise<void>) => Promise<void>;
}

/** How many commits of others between two looks at a table are followed. */
const fewVersions = 20;
const mostVersions = 1000;

/**
 * Puts the rows of a stage in the place of those of a slice, in one commit over the version that was compared; what an earlier process
 * has committed is not committed again. Gives the figures of the slice as that commit left it. Throws {@link OverwrittenBetween} where
 * somebody else has written the slice since the comparison: their rows stand then, also where the commit was over them.
 */
export async function replaceSlice(
  by: Replacer,
  compared: ReplacedVersion,
  staged: SliceFigures,
): Promise<LakeFigures> {
  const { lake, at, stage, fenced } = by;
  const known = await since(by, compared, staged);
  if (known.kind === 'as-it-was')
    await fenced(async () => {
      const from = versionRows(at, stageTable(at, stage)).from;
      await lake.query(replaceWhereSql(at.file, at.condition ?? 'true', from));
    });
  const now = known.kind === 'as-it-was' ? await since(by, compared, staged) : known;
  if (now.kind === 'ours') return now.left;
  if (now.kind === 'over-another') await fenced(() => putBack(by, now.version, now.theirs));
  throw new OverwrittenBetween(at, now.kind === 'after-ours');
}

type Since =
  | { readonly kind: 'as-it-was' | 'another' | 'after-ours' }
  | { readonly kind: 'ours'; readonly left: LakeFigures }
  /** The commit is there, and what it replaced was not what was compared. */
  | { readonly kind: 'over-another'; readonly version: string; readonly theirs: string | undefined };

/** What became of the slice since the version that was compared, told by the files and the rows that it has in each version. */
async function since(
  { lake, at }: Pick<Replacer, 'lake' | 'at'>,
  { version, files }: ReplacedVersion,
  staged: SliceFigures,
): Promise<Since> {
  // A catalog may keep for a session what a table was when it was last looked at.
  await lake.query(refreshSql(at.file));
  const list = async (most: number) => versionsOf(await lake.query(versionsSql(at.file, most)));
  let all = await list(fewVersions);
  if (version === undefined || !all.includes(version)) all = await list(mostVersions);
  const known = version === undefined ? all.length : all.indexOf(version);
  if (known < 0) throw forgotten(at);
  let before = { version, files };
  let isFirst = true;
  let found: Since = { kind: 'as-it-was' };
  for (const next of all.slice(0, known).reverse()) {
    const left = await lakeFigures(lake, at, versionRows(at, at.file, next));
    if (left.files === before.files) continue;
    const isStage = sameFigures({ ...left, figures: staged }, withoutKeys(left, staged));
    if (isStage && isFirst) found = { kind: 'ours', left };
    else if (isStage) found = { kind: 'over-another', version: next, theirs: before.version };
    else found = await afterAnother(lake, at, found, left);
    isFirst = false;
    before = { version: next, files: left.files };
  }
  return found;
}

/** What a commit of somebody else makes of what was found before it; one that puts back what ours went over leaves nothing of ours. */
async function afterAnother(lake: Session, at: LakeTarget, found: Since, left: LakeFigures): Promise<Since> {
  if (found.kind === 'as-it-was' || found.kind === 'another') return { kind: 'another' };
  if (found.kind !== 'over-another') return { kind: 'after-ours' };
  const theirs = await lakeFigures(lake, at, versionRows(at, at.file, found.theirs));
  return { kind: sameFigures(theirs, left) ? 'another' : 'after-ours' };
}

/** Duplicates of keys are counted once, when the stage is compared. */
const withoutKeys = (taken: LakeFigures, { duplicateKeys }: SliceFigures): LakeFigures => ({
  ...taken,
  figures: { ...taken.figures, duplicateKeys },
});

/** Rows that somebody wrote between the comparison and the commit, in the place of those that were committed over them. */
async function putBack({ lake, at }: Replacer, ours: string, theirs: string | undefined): Promise<void> {
  const { file, condition = 'true' } = at;
  const rows =
    theirs === undefined ? `${atVersion(file, ours)} where false` : `${atVersion(file, theirs)} where ${condition}`;
  await lake.query(replaceWhereSql(file, condition, rows));
}

/** The slice was written by somebody else while it was replaced. */
export class OverwrittenBetween extends WarehouseError {
  /** `published`: after it was ours. */
  constructor(
    { target }: LakeTarget,
    readonly published: boolean,
  ) {
    super('conflict', `Somebody else has written the slice of ${target.qualified} meanwhile.`, true, {
      hint: 'Their rows stand. It is tried again; where that goes on, see who else writes the table.',
    });
  }
}

const forgotten = ({ target }: LakeTarget): WarehouseError =>
  new WarehouseError(
    'conflict',
    `The version of ${target.qualified} that was compared is not among its last ${mostVersions} any more.`,
    false,
    { hint: 'Look at the table, then run the interval again.' },
  );
