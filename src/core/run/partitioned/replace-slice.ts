import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { SliceFigures } from '../../diff/slice-figures.ts';
import { sameFigures } from '../../diff/take-figures.ts';
import { refreshSql } from '../../warehouse/dialects/spark/table-sql.ts';
import {
  atVersion,
  isCommitConflict,
  replaceWhereSql,
  versionsOf,
  versionsSql,
} from '../../warehouse/dialects/spark/version-sql.ts';
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

/** The slice as it was compared, and as the stage has it. */
type Compared = Pick<SliceDiff, 'before'> & { readonly after: SliceFigures };

/**
 * Puts the rows of a stage in the place of those of a slice, in one commit over the version that was compared; what an earlier process
 * has committed is not committed again. Gives the figures of the slice as that commit left it. Throws {@link NotReplaced} where
 * somebody else has written the slice since the comparison (their rows stand then, also where the commit was over them), and where the
 * format refuses the commit.
 */
export async function replaceSlice(by: Replacer, over: ReplacedVersion, compared: Compared): Promise<LakeFigures> {
  const { at, stage } = by;
  const known = await since(by, over, compared);
  if (known.kind === 'ours') return known.left;
  const rows = versionRows(at, stageTable(at, stage)).from;
  const refused = known.kind === 'as-it-was' ? await commit(by, rows, over.version) : undefined;
  const now = known.kind === 'as-it-was' ? await since(by, over, compared) : known;
  if (now.kind === 'ours') return now.left;
  if (now.kind === 'over-another') await putBack(by, now.version, now.theirs);
  throw now.kind === 'as-it-was' && refused !== undefined
    ? refusedCommit(refused)
    : overwrittenBetween(at, now.kind === 'after-ours');
}

/** Replaces the slice; gives why the format refused to. */
async function commit(
  { lake, at: { file, condition = 'true' }, fenced }: Replacer,
  from: string,
  over: string | undefined,
): Promise<WarehouseError | undefined> {
  let refused: WarehouseError | undefined;
  await fenced(async () => {
    try {
      await lake.query(replaceWhereSql(file, condition, from, over));
    } catch (error) {
      // Of a connection that was lost nobody knows whether it is still under way.
      if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
      refused = error;
    }
  });
  return refused;
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
  compared: Compared,
): Promise<Since> {
  // A catalog may keep for a session what a table was when it was last looked at.
  await lake.query(refreshSql(at.file));
  const list = async (most: number) => versionsOf(await lake.query(versionsSql(at.file, most)));
  let all = await list(fewVersions);
  if (version === undefined || !all.includes(version)) all = await list(mostVersions);
  const known = version === undefined ? all.length : all.indexOf(version);
  if (known < 0) throw forgotten(at);
  const staged = compared.after;
  let before = { version, files, figures: compared.before };
  let isFirst = true;
  let found: Since = { kind: 'as-it-was' };
  for (const next of all.slice(0, known).reverse()) {
    const left = await lakeFigures(lake, at, versionRows(at, at.file, next));
    if (left.files === before.files) continue;
    // Files that hold the same rows as those before them were put in order, not written.
    const isRearranged = before.figures !== undefined && isSame(left, before.figures);
    const last = before.version;
    before = { version: next, files: left.files, figures: left.figures };
    if (isRearranged) continue;
    const isStage = isSame(left, staged);
    if (isStage && isFirst) found = { kind: 'ours', left };
    else if (isStage) found = { kind: 'over-another', version: next, theirs: last };
    else found = await afterAnother(lake, at, found, left);
    isFirst = false;
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

const isSame = (taken: LakeFigures, figures: SliceFigures): boolean => sameFigures({ ...taken, figures }, taken);

/** Rows that somebody wrote between the comparison and the commit, in the place of those that were committed over them. */
async function putBack(by: Replacer, ours: string, theirs: string | undefined): Promise<void> {
  const { file, condition = 'true' } = by.at;
  const rows =
    theirs === undefined ? `${atVersion(file, ours)} where false` : `${atVersion(file, theirs)} where ${condition}`;
  const refused = await commit(by, rows, ours);
  // Whoever goes on finds it as it is, and puts them back then.
  if (refused !== undefined) throw new WarehouseError('conflict', refused.message, isCommitConflict(refused.message));
}

/** Nothing of the unit's own publishing is under way any more: the next try begins with what is there. */
export class NotReplaced extends WarehouseError {
  constructor(
    message: string,
    retryable: boolean,
    hint: string | undefined,
    /** The slice was the unit's for a while, or may have been. */
    readonly published: boolean,
  ) {
    super('conflict', message, retryable, { hint });
  }
}

const overwrittenBetween = ({ target }: LakeTarget, published: boolean): NotReplaced =>
  new NotReplaced(
    `Somebody else has written the slice of ${target.qualified} meanwhile.`,
    true,
    'Their rows stand. It is tried again; where that goes on, see who else writes the table.',
    published,
  );

const refusedCommit = ({ message }: WarehouseError): NotReplaced =>
  new NotReplaced(message, isCommitConflict(message), 'Nothing was published.', false);

const forgotten = ({ target }: LakeTarget): NotReplaced =>
  new NotReplaced(
    `The version of ${target.qualified} that was compared is not among its last ${mostVersions} any more.`,
    false,
    'Look at the table, then run the interval again.',
    true,
  );
