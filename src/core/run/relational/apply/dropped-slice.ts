import type { SliceRelation } from '../../../diff/slice-relation.ts';
import type { TakenFigures } from '../../../diff/take-figures.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import type { Target } from '../../tables/target.ts';

const none: TakenFigures = {
  figures: { rows: 0, keyChecksum: undefined, rowChecksum: '', algorithm: 'dropped/1', duplicateKeys: undefined },
  ownRows: 0,
  keyUsable: false,
};

/** The slice of a table that is there no more. */
export const droppedSlice = (
  target: Target,
  relation: SliceRelation,
  before: TakenFigures | undefined,
  index: number,
): AppliedSlice => ({
  target,
  table: relation.table,
  taken: { index, relation, before, after: none, keyUsable: false, replaced: true },
  gone: true,
  diff: {
    table: target.slice.table,
    column: target.slice.column,
    from: target.slice.from,
    to: target.slice.to,
    before: before?.figures,
    after: none.figures,
    added: 0,
    removed: before?.figures.rows ?? 0,
    changed: 0,
    withinTolerance: 0,
    columns: [],
    samples: [],
    method: 'none',
    key: relation.key,
    leftOut: [],
    causes: [],
  },
});
