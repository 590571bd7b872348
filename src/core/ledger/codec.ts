import type { WriteMode } from '../lineage/facts/facts.ts';
import type { Executor } from '../pipeline/model/model.ts';
import {
  type Plan,
  type PlanFinding,
  type PlanUnit,
  planErrorCodes,
  planNoteCodes,
  type Reason,
  type UnitSlice,
} from '../plan/model/plan.ts';
import type { DataInterval } from '../time/intervals/data-interval.ts';
import { beginningOfTime, endOfTime, type Instant, instant } from '../time/zones/instant.ts';
import {
  byKind,
  count,
  DecodeError,
  type Decoder,
  entries,
  flag,
  list,
  oneOf,
  optional,
  record,
  text,
} from './decoder.ts';

/** The layout of stored documents. Raised whenever an old document would be read wrongly by new code or the reverse. */
export const documentVersion = 1;

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  /** One sentence with the place in the document, for a person. */
  | { readonly ok: false; readonly reason: string };

/**
 * A document as kept in the ledger: `body` under its version. Maps become lists of pairs, instants ISO text. All ASCII, so
 * that a database of any encoding gives it back as it was.
 */
export const encodeDocument = (body: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ version: documentVersion, ...body }).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Reads a stored document back; anything unknown, missing or of another version is an error, never skipped over. */
export function decodeDocument<T>(document: string, decoder: Decoder<T>): Decoded<T> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(document);
  } catch {
    return { ok: false, reason: 'the stored document is not readable (not JSON)' };
  }
  if (typeof parsed !== 'object' || parsed === null || !('version' in parsed)) {
    return { ok: false, reason: 'the stored document has no version' };
  }
  const { version, ...body } = parsed;
  if (version !== documentVersion) {
    const known = `this program reads version ${documentVersion}`;
    return {
      ok: false,
      reason: `the stored document has version ${String(version)}, ${known}; use the program that wrote it`,
    };
  }
  try {
    return { ok: true, value: decoder(body, '') };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, reason: `the stored document is damaged: ${error.message}` };
    throw error;
  }
}

export function encodeInstant(value: Instant): string {
  if (value === beginningOfTime) return '-infinity';
  if (value === endOfTime) return 'infinity';
  return new Date(value).toISOString();
}

export const decodeInstant: Decoder<Instant> = (value, path) => {
  const written = text(value, path);
  if (written === '-infinity') return beginningOfTime;
  if (written === 'infinity') return endOfTime;
  const parsed = Date.parse(written);
  if (!Number.isFinite(parsed) || new Date(parsed).toISOString() !== written) {
    throw new DecodeError(`${path}: expected an instant in UTC, found "${written.slice(0, 60)}"`);
  }
  return instant(parsed);
};

export const encodeInterval = ({ start, end }: DataInterval): unknown => ({
  start: encodeInstant(start),
  end: encodeInstant(end),
});

export const decodeInterval: Decoder<DataInterval> = record<DataInterval>({ start: decodeInstant, end: decodeInstant });

export const writeMode: Decoder<WriteMode> = oneOf(
  'append',
  'delete',
  'delete+insert',
  'insert_overwrite',
  'merge',
  'full_replace',
  'create',
  'update',
  'unknown',
);

export const encodePlan = (plan: Plan): unknown => ({
  version: plan.version,
  now: encodeInstant(plan.now),
  units: plan.units.map(encodeUnit),
  byTask: [...plan.byTask],
  findings: plan.findings.map(({ needs, ...finding }) => ({ ...finding, needs: needs && encodeSlice(needs) })),
  codeHashes: [...plan.codeHashes],
  widened: plan.widened.map((wide) => ({ ...wide, from: encodeInstant(wide.from), to: encodeInstant(wide.to) })),
});

const encodeUnit = (unit: PlanUnit): unknown => ({
  ...unit,
  start: encodeInstant(unit.start),
  next: encodeInstant(unit.next),
  data: encodeInterval(unit.data),
  reasons: unit.reasons.map((reason) =>
    reason.kind === 'reads-parent'
      ? { ...reason, from: encodeInstant(reason.from), to: encodeInstant(reason.to) }
      : reason,
  ),
  slices: unit.slices.map(encodeSlice),
});

const encodeSlice = (slice: UnitSlice): unknown => ({
  ...slice,
  from: slice.from === undefined ? undefined : encodeInstant(slice.from),
  to: slice.to === undefined ? undefined : encodeInstant(slice.to),
});

const reason: Decoder<Reason> = byKind<Reason>({
  selected: record({ kind: oneOf('selected') }),
  'own-tail': record({ kind: oneOf('own-tail') }),
  'by-order': record({ kind: oneOf('by-order'), parent: text }),
  'reads-parent': record({
    kind: oneOf('reads-parent'),
    parent: text,
    table: text,
    from: decodeInstant,
    to: decodeInstant,
  }),
});

const executor: Decoder<Executor> = byKind<Executor>({
  warehouse: record({ kind: oneOf('warehouse'), connection: optional(text), database: optional(text) }),
  airflow: record({ kind: oneOf('airflow'), reason: text }),
  none: record({ kind: oneOf('none'), reason: text }),
});

const slice: Decoder<UnitSlice> = record<UnitSlice>({
  table: text,
  column: optional(text),
  from: optional(decodeInstant),
  to: optional(decodeInstant),
  mode: writeMode,
  stage: optional(flag),
});

const unit: Decoder<PlanUnit> = record<PlanUnit>({
  id: text,
  task: text,
  start: decodeInstant,
  next: decodeInstant,
  data: decodeInterval,
  reasons: list(reason),
  waitsFor: list(record({ task: text, first: count, last: count })),
  executor,
  standsForAll: optional(flag),
  blockedBy: optional(text),
  slices: list(slice),
  filledBy: optional(list(text)),
});

const said = { message: text, task: optional(text), needs: optional(slice) };
const stopping = record<PlanFinding & { readonly code: (typeof planErrorCodes)[number] }>({
  code: oneOf(...planErrorCodes),
  severity: oneOf('error', 'warning', 'info'),
  ...said,
});
const noted = record<PlanFinding & { readonly code: (typeof planNoteCodes)[number] }>({
  code: oneOf(...planNoteCodes),
  severity: oneOf('warning', 'info'),
  ...said,
});
const finding: Decoder<PlanFinding> = (value, path) => {
  const isNote = planNoteCodes.some((code) => code === Object(value).code);
  return isNote ? noted(value, path) : stopping(value, path);
};

const plan: Decoder<Plan> = record<Plan>({
  version: (value, path) => {
    if (value !== 1) throw new DecodeError(`${path}: plan version ${String(value)} is not known`);
    return 1 as const;
  },
  now: decodeInstant,
  units: list(unit),
  byTask: entries(list(count)),
  findings: list(finding),
  codeHashes: entries(text),
  widened: list(record({ task: text, from: decodeInstant, to: decodeInstant, because: text })),
});

/** A plan, with every position in `byTask` and every wait checked to point at a unit. */
export const decodePlan: Decoder<Plan> = (value, path) => {
  const decoded = plan(value, path);
  for (const [task, positions] of decoded.byTask) {
    if (positions.some((position) => decoded.units[position]?.task !== task)) {
      throw new DecodeError(`${path}.byTask: a unit of ${task} is missing`);
    }
  }
  for (const { id, waitsFor } of decoded.units) {
    for (const { task, last } of waitsFor) {
      if (last >= (decoded.byTask.get(task)?.length ?? 0)) {
        throw new DecodeError(`${path}.units: ${id} waits for a unit of ${task} that is missing`);
      }
    }
  }
  return decoded;
};
