import type { TakenFigures } from '../../../diff/take-figures.ts';
import { count, type Decoder, finite, flag, mapOf, oneOf, optional, record, text } from '../../../ledger/decoder.ts';
import {
  forgetCarriedSql,
  readCarriedSql,
  saveCarriedSql,
} from '../../../warehouse/dialects/postgres/ledger/carried-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { lostClaim } from '../../claim/fence.ts';
import { decodeWatch, type Watch } from '../../observed/watch.ts';
import type { UnitJob } from '../../unit/unit-job.ts';

/** A slice before its task was given away. */
export interface SliceBefore {
  /** `undefined`: there was no such table. */
  readonly taken: TakenFigures | undefined;
  /** Its rows are kept in the ledger. */
  readonly kept: boolean;
}

/**
 * What is known of a unit since it was given to a scheduler, written down before each step that cannot be taken back, so that
 * whoever goes on after us takes none twice.
 */
export interface CarriedHandle {
  /** Id of the run of the DAG. */
  readonly run: string;
  /** There was no such run, and it is ours to make. */
  readonly make: boolean;
  /** `before`: perhaps started; `started`: surely; `ended`: well, and not recorded yet; `over`: to be started anew. */
  readonly phase: 'before' | 'started' | 'ended' | 'over';
  /** Its run is made, or was, in one go with those of other dates, and starts by itself. */
  readonly inRange?: boolean | undefined;
  /** How the task stood in its run before it was started, by which the next execution is told; see `executionMark`. */
  readonly mark: string;
  /** Tries that each of its instances had had by then, by map index. */
  readonly tries: Readonly<Record<string, number>>;
  /** By slice, as the ledger names it. */
  readonly before: Readonly<Record<string, SliceBefore>>;
  /** `before` was taken when the run was not there yet, so that whatever is done in it is a difference. */
  readonly ahead?: boolean | undefined;
  /** How the database stood before, where not all of its tables are known and what others write can be seen. */
  readonly watch?: Watch | undefined;
}

const handle = record<CarriedHandle>({
  run: text,
  make: flag,
  phase: oneOf('before', 'started', 'ended', 'over'),
  inRange: optional(flag),
  mark: text,
  tries: mapOf(finite),
  before: mapOf(
    record<SliceBefore>({
      taken: optional(
        record<TakenFigures>({
          figures: record<TakenFigures['figures']>({
            rows: count,
            keyChecksum: optional(text),
            rowChecksum: text,
            algorithm: text,
            duplicateKeys: optional(count),
          }),
          ownRows: finite,
          keyUsable: flag,
        }),
      ),
      kept: flag,
    }),
  ),
  ahead: optional(flag),
  watch: optional(decodeWatch),
}) satisfies Decoder<CarriedHandle>;

export async function readHandle(session: Session, { run, unit }: UnitJob): Promise<CarriedHandle | undefined> {
  const found = (await session.query(readCarriedSql, [run, unit])).rows[0]?.[0];
  return found === undefined || found === null ? undefined : handle(JSON.parse(found), '');
}

/** Throws where the claim of the unit is gone. */
export async function saveHandle(
  session: Session,
  { run, unit }: UnitJob,
  fence: string,
  known: CarriedHandle,
): Promise<void> {
  const saved = await session.query(saveCarriedSql, [run, unit, JSON.stringify(known), fence]);
  if (saved.rows.length === 0) throw lostClaim();
}

export async function forgetHandle(session: Session, { run, unit }: UnitJob): Promise<void> {
  await session.query(forgetCarriedSql, [run, unit]);
}
