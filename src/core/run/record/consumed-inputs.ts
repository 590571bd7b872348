import { sameContent } from '../../diff/change-cause.ts';
import type { RecordedInput } from '../../ledger/recorded-input.ts';
import { viewDefinitions } from '../../warehouse/catalog/view-definitions.ts';
import { type CutoffUnit, contentUse } from './early-cutoff.ts';
import { inputContents } from './input-content.ts';

/** Which transactions had ended, as text: equal where none ended in between. Own ones do not count before their end. */
const momentSql = 'select pg_catalog.txid_current_snapshot()::text';

/** Taken before the inputs of a unit are summed up. */
export async function readMoment({ session, job }: CutoffUnit): Promise<string | undefined> {
  if (contentUse(job) === undefined || job.inputs.length === 0) return undefined;
  return (await session.query(momentSql)).rows[0]?.[0] ?? undefined;
}

/**
 * The inputs with only such content as the task surely read, for its statements see what is committed meanwhile: where
 * any transaction ended since the moment, the inputs are summed up again, and one that holds other rows now has none. The
 * record would otherwise be of rows that the task never saw, and their coming back would be taken for no change; the same
 * holds for the definition of a view. An input that the unit wrote itself has none either.
 */
export async function consumedInputs(
  unit: CutoffUnit,
  inputs: readonly RecordedInput[],
  moment: string | undefined,
): Promise<readonly RecordedInput[]> {
  const { session, job, targets, server, types } = unit;
  if (moment === undefined || inputs.every(({ content }) => content === undefined)) return inputs;
  const own = new Set(targets.map(({ qualified }) => qualified));
  const still = (await readMoment(unit)) === moment;
  if (still && !inputs.some(({ table }) => own.has(table))) return inputs;
  const contents = await inputContents(session, job.inputs, server, types, contentUse(job) ?? 'tell', targets);
  const defined = inputs.flatMap(({ table, definition }) => (definition === undefined ? [] : [table]));
  const views = new Map((await viewDefinitions(session, defined)).map(({ view, definition }) => [view, definition]));
  return inputs.map(({ content, definition, ...input }, index) => {
    if (definition !== undefined) return views.get(input.table) === definition ? { ...input, definition } : input;
    const now = contents[index];
    const same = content !== undefined && now !== undefined && sameContent(content, now) === true;
    return same ? { ...input, content } : input;
  });
}
