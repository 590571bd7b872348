import type { SliceDiff } from '../../diff/slice-diff.ts';
import { type Decoder, list, optional, record, text } from '../../ledger/decoder.ts';
import { readCarriedSql, saveCarriedSql } from '../../warehouse/dialects/postgres/ledger/carried-sql.ts';
import type { PartitionSpec } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { lostClaim } from '../claim/fence.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { Stage } from './compare/stage.ts';

/** One partition that is given another folder; without `from` there is no such partition yet, without `to` it goes. */
export interface Swap {
  readonly spec: PartitionSpec;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What a commit is to replace, of a table that keeps its versions. */
export interface ReplacedVersion {
  /** `undefined`: the table has none yet. */
  readonly version?: string | undefined;
  /** The sum over the files of the slice in it. */
  readonly files: string;
}

/** What is known of a unit's publishing, written down before its first step: whoever goes on ends it, and never begins another one. */
export interface Publishing {
  readonly swaps: readonly Swap[];
  /** Set where it is one commit over a version, and not partitions one after the other. */
  readonly over?: ReplacedVersion | undefined;
  readonly diff: SliceDiff;
  readonly notes: readonly string[];
}

/** Written down before each step that somebody else may have to end or to clear away. */
export interface LakeHandle {
  /** Nobody reads its files yet. */
  readonly stage?: Stage | undefined;
  readonly publishing?: UnderWay | undefined;
  /** Of an earlier try: partitions were published, and somebody else has written the slice since. */
  readonly earlier?: Publishing | undefined;
}

/** With the stage whose files it publishes. */
export interface UnderWay extends Publishing {
  readonly stage: Stage;
}

const spec: Decoder<PartitionSpec> = (value) => value as PartitionSpec;
const stage = record<Stage>({ name: text, location: text });
const publishing = {
  swaps: list(record<Swap>({ spec, from: optional(text), to: optional(text) })),
  over: optional(record<ReplacedVersion>({ version: optional(text), files: text })),
  diff: (value: unknown) => value as SliceDiff,
  notes: list(text),
};
const handle = record<LakeHandle>({
  stage: optional(stage),
  publishing: optional(record<UnderWay>({ ...publishing, stage })),
  earlier: optional(record<Publishing>(publishing)),
});

export async function readLakeHandle(session: Session, { run, unit }: UnitJob): Promise<LakeHandle | undefined> {
  const found = (await session.query(readCarriedSql, [run, unit])).rows[0]?.[0];
  return found === undefined || found === null ? undefined : handle(JSON.parse(found), '');
}

/** Throws where the claim of the unit is gone. */
export async function saveLakeHandle(
  session: Session,
  { run, unit }: UnitJob,
  fence: string,
  known: LakeHandle,
): Promise<void> {
  const saved = await session.query(saveCarriedSql, [run, unit, JSON.stringify(known), fence]);
  if (saved.rows.length === 0) throw lostClaim();
}
