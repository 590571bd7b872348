import type { MergeBranch } from '../../sql/model/statement.ts';
import { rowDrawer } from './draw-rows.ts';
import { evaluateTerm } from './evaluate-term.ts';
import { holding, samples } from './second-run.ts';
import type { StatementInText } from './statement-in-text.ts';
import { type Around, mergeChoice } from './statement-rewrites.ts';
import type { Value } from './term.ts';

/** Rows that one run of a MERGE inserts and the next one deletes: all of them, or those that `why` tells. */
export interface ComingAndGoing {
  readonly branch: MergeBranch;
  readonly certainty: 'sure' | 'open';
  readonly why?: string;
}

export function comesAndGoes(item: StatementInText, around: Around): ComingAndGoing | undefined {
  const { found, inserts } = mergeChoice(item, around);
  const deleting = found.find(({ branch }) => branch.action === 'delete')?.branch;
  if (deleting === undefined || inserts.length === 0) return undefined;
  const terms = [...found, ...inserts].flatMap(({ conditions }) => conditions);
  const draw = rowDrawer([...terms, ...inserts.flatMap(({ row }) => row.map(({ term }) => term))], [], terms);
  let [added, gone] = [0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const around = draw();
    const insert = inserts.find(({ conditions }) => holding(conditions, around, () => false) === true);
    if (insert === undefined) continue;
    added++;
    const row = new Map<string, Value>(around.own);
    for (const { column, term } of insert.row) {
      const given = evaluateTerm(term, around);
      if (typeof given !== 'string') row.set(column, given.value);
    }
    const next = { fixed: around.fixed, own: row };
    const taken = found.find(({ conditions }) => holding(conditions, next, () => false) === true);
    if (taken?.branch.action === 'delete') gone++;
  }
  if (gone === 0) return undefined;
  if (gone >= added * 0.99) return { branch: deleting, certainty: 'sure' };
  const asked = deleting.condition.map(({ start, end }) => item.text.slice(start, end).replace(/\s+/g, ' '));
  const why = `whether there are rows for which ${asked.length === 0 ? 'an earlier branch asks nothing' : asked.join(' and ')} is so`;
  return { branch: deleting, certainty: 'open', why };
}
