import type { Lake, Session } from '../../warehouse/port/ports.ts';
import type { UnitRun } from '../claim/claimed-unit.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Stage } from './compare/stage.ts';
import type { KeptFolders } from './kept-folders.ts';
import type { LakeTarget } from './target/lake-table.ts';
import type { Overwrite } from './target/overwrite.ts';

/** A unit whose target is a table of files. Its claim and record are in the warehouse that the lake hangs on. */
export interface LakeRun extends UnitRun {
  readonly lake: Lake;
  /** What fills its stage: the task, or for an undo the folders of before. */
  readonly source: Overwrite | KeptFolders;
  readonly at: LakeTarget;
  /** For what is asked and published here; a cancel stops what it runs, but nothing that publishes. */
  readonly own: Session;
  /** The same session, whose statements are not stopped. */
  readonly steady: Session;
  readonly signal: CancelSignal;
  /** Set while a stage is there that nobody would publish any more. */
  stage?: Stage | undefined;
}
