import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { describeTables } from '../../../warehouse/catalog/describe-tables.ts';
import { relationOf } from '../../tables/target.ts';
import { withTypedCut } from '../../tables/with-typed-cut.ts';
import type { OpenUnit } from './open-unit.ts';

/** The tables of a unit's targets after its task; those that the task made or altered are looked up anew. */
export async function relationsAfter(unit: OpenUnit): Promise<readonly (SliceRelation | undefined)[]> {
  const { session, targets, plan, server, types } = unit;
  if (!plan.altersTables && targets.every(({ relation }) => relation !== undefined)) {
    return targets.map(({ relation }) => relation);
  }
  const tables = await describeTables(
    session,
    targets.map(({ slice }) => slice.table),
    types,
  );
  const relations: (SliceRelation | undefined)[] = [];
  for (const [index, { slice }] of targets.entries()) {
    const table = tables[index];
    relations.push(table && relationOf(await withTypedCut(session, table, slice), table, server, unit.job));
  }
  return relations;
}
