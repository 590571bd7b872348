import { type RecordedSchema, recordedSchemas } from '../../ledger/recorded-schemas.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, PlanFinding, UnitId } from '../../plan/model/plan.ts';
import { plural } from '../../text/plural.ts';
import { toIso } from '../../time/zones/iso.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { columnTypes, describeSchema, type TableDescription } from '../../warehouse/port/table-description.ts';
import { writtenSlices } from '../jobs/slices/written-slices.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** A table as it is now, and who of the plan writes or reads it. */
export interface TableNow {
  readonly table: TableDescription;
  /** Hash of its schema, as the ledger keeps it. */
  readonly hash: string;
  /** Columns that are left out of its figures. */
  readonly volatile: readonly string[];
  readonly writers: readonly TaskId[];
  readonly readers: readonly TaskId[];
}

/**
 * Tables whose columns are others now than when the slices of the plan were last written or made. Throws
 * {@link WarehouseError}.
 */
export async function schemaChanges(
  session: Session,
  plan: Plan,
  jobs: ReadonlyMap<UnitId, UnitJob>,
): Promise<readonly PlanFinding[]> {
  const recorded = await recordedSchemas(session, writtenSlices(plan, jobs));
  if (recorded.length === 0) return [];
  return schemaFindings(recorded, await tablesNow(session, [...jobs.values()]));
}

/** By `schema.name`; tables that are gone or may not be read are missing. */
async function tablesNow(session: Session, jobs: readonly UnitJob[]): Promise<ReadonlyMap<string, TableNow>> {
  const used = new Map<string, { volatile: Set<string>; writers: Set<TaskId>; readers: Set<TaskId> }>();
  const use = (name: string) => {
    const known = used.get(name) ?? { volatile: new Set(), writers: new Set(), readers: new Set() };
    used.set(name, known);
    return known;
  };
  for (const { task, slices, inputs } of jobs) {
    for (const { table, volatile } of slices) {
      const entry = use(table);
      entry.writers.add(task);
      for (const column of volatile) entry.volatile.add(column);
    }
    // Another table for each interval has only its own past.
    for (const { table, snapshot } of inputs) {
      if (snapshot === undefined || snapshot.column !== undefined) use(table).readers.add(task);
    }
  }
  const names = [...used.keys()];
  const described = await describeReadable(session, names, new Map());
  const schemas = described.map((table) => (table === undefined ? '' : describeSchema(table)));
  const hashed = await session.query('select pg_catalog.md5(s) from pg_catalog.json_array_elements_text($1::json) s', [
    JSON.stringify(schemas),
  ]);
  const found = new Map<string, TableNow>();
  for (const [index, name] of names.entries()) {
    const table = described[index];
    const entry = used.get(name);
    if (table === undefined || entry === undefined) continue;
    const known = found.get(table.qualified);
    found.set(table.qualified, {
      table,
      hash: hashed.rows[index]?.[0] ?? '',
      volatile: [...(known?.volatile ?? []), ...entry.volatile],
      writers: [...new Set([...(known?.writers ?? []), ...entry.writers])],
      readers: [...new Set([...(known?.readers ?? []), ...entry.readers])],
    });
  }
  return found;
}

/** What is other now than it was recorded, and what that does to a rerun. */
export function schemaFindings(
  recorded: readonly RecordedSchema[],
  tables: ReadonlyMap<string, TableNow>,
): readonly PlanFinding[] {
  return recorded.flatMap((then): readonly PlanFinding[] => {
    const now = tables.get(then.table);
    const tasks = (then.role === 'target' ? now?.writers : now?.readers) ?? [];
    if (now === undefined || tasks.length === 0) return [];
    const change = changeOf(then, now);
    if (change === undefined) return [];
    const [task] = tasks.length === 1 ? tasks : [];
    const slices = plural(then.slices, 'slice');
    const were = then.slices === 1 ? 'was' : 'were';
    const by = `(run ${then.run}, ${toIso(then.at)})`;
    const since =
      then.role === 'target'
        ? `${slices} of it in this plan ${were} last written ${by}`
        : `${slices} of this plan ${were} last made from it ${by}`;
    const severity = then.role === 'input' && !change.breaks ? 'info' : 'warning';
    const message = `${then.table} has changed since ${since}: ${change.words}. ${change.effects[then.role]}`;
    return [{ code: 'schema-change', severity, message, task }];
  });
}

interface SchemaChange {
  readonly words: string;
  /** Something that statements may name is gone or another thing. */
  readonly breaks: boolean;
  readonly effects: Readonly<Record<RecordedSchema['role'], string>>;
}

function changeOf(then: RecordedSchema, { table, hash, volatile }: TableNow): SchemaChange | undefined {
  const now = new Map(columnTypes(table));
  if (then.columns === undefined) {
    if (then.hash === hash) return undefined;
    const names = new Set(then.names ?? now.keys());
    const added = [...now.keys()].filter((name) => !names.has(name) && !volatile.includes(name));
    const dropped = [...names].filter((name) => !now.has(name));
    return schemaChange(added, dropped, [], 'a type or a constraint, of which only a hash was kept');
  }
  const before = new Map(then.columns);
  const added = [...now].flatMap(([name, type]) => (before.has(name) ? [] : [`${name} ${type}`]));
  const dropped = [...before].flatMap(([name, type]) => (now.has(name) ? [] : [`${name} ${type}`]));
  const retyped = [...now].flatMap(([name, type]) => {
    const old = before.get(name);
    return old === undefined || old === type ? [] : [`${name} from ${old} to ${type}`];
  });
  return schemaChange(added, dropped, retyped, undefined);
}

function schemaChange(
  added: readonly string[],
  dropped: readonly string[],
  retyped: readonly string[],
  other: string | undefined,
): SchemaChange | undefined {
  const named = [
    ...(added.length > 0 ? [`added ${added.join(', ')}`] : []),
    ...(dropped.length > 0 ? [`dropped ${dropped.join(', ')}`] : []),
    ...(retyped.length > 0 ? [`changed ${retyped.join(', ')}`] : []),
  ];
  const words = named.length === 0 && other !== undefined ? [other] : named;
  if (words.length === 0) return undefined;
  const target = [
    ...(added.length > 0
      ? ['Their rows hold no more than a default in what was added, so that a rerun may change each of them.']
      : []),
    ...(dropped.length > 0 ? ['What was dropped is gone from them, and a task that still writes it fails.'] : []),
    'Rows are compared by the columns of today.',
  ];
  const input = [
    ...(added.length > 0 ? ['A statement that takes all columns takes more than then.'] : []),
    ...(dropped.length > 0 ? ['A statement that names what was dropped fails.'] : []),
    ...(retyped.length > 0 || named.length === 0 ? ['What has another type may come out otherwise than then.'] : []),
  ];
  return {
    words: words.join('; '),
    breaks: dropped.length + retyped.length > 0 || named.length === 0,
    effects: { target: target.join(' '), input: input.join(' ') },
  };
}
