import { count, DecodeError, type Decoder, list, mapOf, oneOf, optional, record, text } from '../../ledger/decoder.ts';
import type {
  AskedFor,
  PlanFile,
  PlannedSlice,
  PlannedTable,
  PlannedTask,
  PlannedUnit,
  PlannedView,
} from './plan-file.ts';

/** The layout of plan files. Raised whenever an older program would read a newer file wrongly, or the reverse. */
export const planFileVersion = 1;

/** SHA-256 as lower-case hex. */
export type Digest = (text: string) => string;

export type ReadPlanFile =
  | { readonly ok: true; readonly file: PlanFile; readonly seal: string }
  /** What is wrong with it, to follow its name in a sentence, and what to do. */
  | { readonly ok: false; readonly reason: string; readonly remedy: string };

const again = 'write it anew with: backfill plan … --out FILE';

/**
 * As it is written: one line for each file, task, table and unit, so that a difference of two plans reads as what differs.
 * The seal is over all that it says, however it is laid out.
 */
export function planFileText(file: PlanFile, digest: Digest): string {
  const { title, asked, now, connection, target, server, settings, files, tasks, tables, views, units, findings } =
    file;
  const head = { title, asked, now, connection, target, ...(server !== undefined && { server }), settings };
  const lists = { files, tasks, tables, ...(views !== undefined && { views }), units, findings };
  const lines = [
    `  "backfillPlan": ${planFileVersion}`,
    `  "seal": ${JSON.stringify(sealOf(file, digest))}`,
    ...Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${inLines(value)}`),
    ...Object.entries(lists).map(([name, items]) => `  ${JSON.stringify(name)}: ${oneByOne(items)}`),
  ];
  return `{\n${lines.join(',\n')}\n}\n`;
}

const inLines = (value: unknown): string => JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ');

const oneByOne = (items: readonly object[]): string =>
  items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`;

/** Reads a plan file back. What is not exactly as it was written is refused in words. */
export function readPlanFile(written: string, digest: Digest): ReadPlanFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    const isCut = !written.trimEnd().endsWith('}');
    return isCut
      ? { ok: false, reason: 'is cut off: its end is missing', remedy: `take the whole file, or ${again}` }
      : { ok: false, reason: 'is not JSON any more', remedy: `take it as it was written, or ${again}` };
  }
  if (typeof parsed !== 'object' || parsed === null || !('backfillPlan' in parsed)) {
    return { ok: false, reason: 'is no plan file', remedy: 'a plan file is written with: backfill plan … --out FILE' };
  }
  const { backfillPlan: version, ...rest } = parsed;
  if (version !== planFileVersion) {
    const newer = typeof version === 'number' && version > planFileVersion;
    return {
      ok: false,
      reason: `is a plan file of version ${JSON.stringify(version)}, and this program reads version ${planFileVersion}`,
      remedy: newer ? `run it with the program that wrote it or a newer one, or ${again}` : again,
    };
  }
  const { seal, ...body } = rest as { readonly seal?: unknown };
  if (typeof seal !== 'string' || seal !== sealOf(body, digest)) {
    return {
      ok: false,
      reason: 'was changed after it was written: its seal is not that of what it says',
      remedy: `what is to run otherwise is planned otherwise: ${again}`,
    };
  }
  try {
    return { ok: true, file: planFile(body, ''), seal };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { ok: false, reason: `cannot be read: ${error.message}`, remedy: again };
  }
}

const sealOf = (body: object, digest: Digest): string => `sha256:${digest(JSON.stringify(sorted(body)))}`;

/** The same value with the members of all objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]),
  );
}

const yes: Decoder<true> = (value, path) => {
  if (value !== true) throw new DecodeError(`${path}: expected true, found ${JSON.stringify(value)}`);
  return true;
};

const planFile = record<PlanFile>({
  title: text,
  asked: record<AskedFor>({
    tasks: list(text),
    from: text,
    to: text,
    logical: optional(yes),
    units: optional(list(text)),
    downstream: optional(yes),
    without: optional(list(text)),
    expandUnbounded: optional(yes),
    allowAppend: optional(yes),
    allowExpired: optional(yes),
    order: optional(oneOf('newest')),
  }),
  now: text,
  connection: text,
  target: text,
  server: optional(text),
  settings: mapOf(text),
  files: list(record<PlanFile['files'][number]>({ file: text, hash: text })),
  tasks: list(record<PlannedTask>({ task: text, units: count, why: text, code: text, files: list(text) })),
  tables: list(record<PlannedTable>({ table: text, columns: optional(list(text)) })),
  views: optional(list(record<PlannedView>({ view: text, definition: text }))),
  units: list(
    record<PlannedUnit>({
      unit: text,
      end: text,
      waitsFor: list(text),
      sql: optional(text),
      slices: list(
        record<PlannedSlice>({
          table: text,
          column: optional(text),
          from: optional(text),
          to: optional(text),
          mode: text,
          rows: optional(count),
          content: optional(text),
        }),
      ),
    }),
  ),
  findings: list(
    record<PlanFile['findings'][number]>({
      code: text,
      severity: oneOf('error', 'warning', 'info'),
      message: text,
    }),
  ),
});
