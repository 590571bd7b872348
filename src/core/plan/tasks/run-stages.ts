import { type DatedSlice, isDated, type WriteFact } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { isOfTheRun } from '../../lineage/tasks/run-dependence.ts';
import type { IsEarlier } from '../../lineage/workspace/order-edges.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';

/**
 * A table that a pipeline's run empties and fills for itself. Where its rows are of the run's interval it belongs to
 * the run: whoever reads it there reads the rows of its own run, and the next run must not empty it before.
 */
export interface RunTable {
  readonly table: string;
  /** Tasks that only take rows away, those that fill, those that read or drop it in the same run. */
  readonly emptying: readonly TaskId[];
  readonly filling: readonly TaskId[];
  readonly using: readonly TaskId[];
  /** Where a run begins with it. */
  readonly first: TaskId;
  /** Its rows are another interval's in another run; else every run gives the same table. */
  readonly dated: boolean;
  /** Only read on the way to other tables of the same run: what it holds between two runs is nobody's. */
  readonly stage: boolean;
}

/** What the planner asks of them. Table names go through `names`. */
export interface RunStages {
  of(task: TaskId): readonly RunTable[];
  /** The table, where `reader` gets of it, for an interval, what `writer` put there for the same interval. */
  readInRun(writer: TaskId, reader: TaskId, table: string): RunTable | undefined;
  /** The slices of all tasks that share such tables, so that a range picks the same runs of each; of final tables first. */
  slicesOf(task: TaskId): readonly DatedSlice[] | undefined;
  /**
   * Where what a task writes, or what is made of it, is a table as of a run's interval (a snapshot): all tasks that make
   * it, of which the newest run has to come last.
   */
  snapshotOf(task: TaskId): readonly TaskId[] | undefined;
}

export function runStages(facts: WorkspaceFacts, names: (table: string) => string, isEarlier: IsEarlier): RunStages {
  const readers = new Map<string, Set<TaskId>>();
  for (const [id, { reads }] of facts.facts) {
    for (const read of reads) readers.set(names(read.table), (readers.get(names(read.table)) ?? new Set()).add(id));
  }
  const writesOf = (id: TaskId): readonly WriteFact[] => facts.facts.get(id)?.writes ?? [];
  const found = withStages(
    facts.pipelines.flatMap((pipeline) => tablesOf(pipeline, { facts, names, isEarlier, readers })),
  );

  const byTask = new Map<TaskId, RunTable[]>();
  for (const one of found) {
    for (const id of new Set([...one.emptying, ...one.filling, ...one.using])) {
      byTask.set(id, [...(byTask.get(id) ?? []), one]);
    }
  }
  const tablesFor = (task: TaskId): readonly RunTable[] => (byTask.get(task) ?? []).filter(({ dated }) => dated);
  const sharing = (task: TaskId): ReadonlySet<TaskId> => {
    const all = new Set([task]);
    for (const id of all) {
      for (const { emptying, filling, using } of tablesFor(id)) {
        for (const other of [...emptying, ...filling, ...using]) all.add(other);
      }
    }
    return all;
  };
  return {
    of: (task) => byTask.get(task) ?? [],
    readInRun: (writer, reader, table) =>
      tablesFor(reader).find(
        (one) =>
          one.table === names(table) &&
          one.using.includes(reader) &&
          (one.filling.includes(writer) || one.emptying.includes(writer)),
      ),
    slicesOf(task) {
      if (tablesFor(task).length === 0) return undefined;
      const all = [...sharing(task)];
      const staged = new Set(all.flatMap(tablesFor).map(({ table }) => table));
      const slices = all.flatMap((id) =>
        writesOf(id).flatMap(({ table, slice }) =>
          isDated(slice) ? [{ slice, final: !staged.has(names(table)) }] : [],
        ),
      );
      const final = slices.filter((one) => one.final);
      return (final.length > 0 ? final : slices).map(({ slice }) => slice);
    },
    snapshotOf(task) {
      const makes = (one: RunTable): readonly TaskId[] => [...one.emptying, ...one.filling];
      const stamped = (byTask.get(task) ?? []).find((one) => !one.dated && makes(one).includes(task));
      if (stamped !== undefined) return makes(stamped);
      const tables = new Set([...sharing(task)].flatMap(tablesFor));
      if (![...tables].some(({ stage }) => !stage)) return undefined;
      const all = [...new Set([...tables].flatMap(makes))];
      return all.includes(task) ? all : undefined;
    },
  };
}

interface FoundTable extends Omit<RunTable, 'stage'> {
  /** Who reads it, but not in the same run; where that is a run that fills it for itself too, it reads its own rows. */
  readonly elsewhere: readonly TaskId[];
  /** Its rows go on into other tables of the same run. */
  readonly passesOn: boolean;
}

function withStages(found: readonly FoundTable[]): readonly RunTable[] {
  const ownUses = new Map<string, Set<TaskId>>();
  for (const { table, emptying, filling, using } of found)
    ownUses.set(table, new Set([...(ownUses.get(table) ?? []), ...emptying, ...filling, ...using]));
  return found.map(({ elsewhere, passesOn, ...one }) => ({
    ...one,
    stage: one.dated && passesOn && elsewhere.every((id) => ownUses.get(one.table)?.has(id) === true),
  }));
}

interface Workspace {
  readonly facts: WorkspaceFacts;
  readonly names: (table: string) => string;
  readonly isEarlier: IsEarlier;
  readonly readers: ReadonlyMap<string, ReadonlySet<TaskId>>;
}

/** A stage may be filled from another one, so the tables are looked at again until nothing new is found. */
function tablesOf(pipeline: Pipeline, workspace: Workspace): readonly FoundTable[] {
  const { facts, names, isEarlier, readers } = workspace;
  const writesOf = (id: TaskId): readonly WriteFact[] => facts.facts.get(id)?.writes ?? [];
  const writersOf = new Map<string, Task[]>();
  for (const task of pipeline.tasks) {
    for (const table of new Set(writesOf(task.id).map((write) => names(write.table)))) {
      writersOf.set(table, [...(writersOf.get(table) ?? []), task]);
    }
  }
  const ids = new Set(pipeline.tasks.map(({ id }) => id));
  const ddl = remakersOf(pipeline, names);
  const clears = (id: TaskId, table: string): boolean =>
    writesOf(id).some((write) => names(write.table) === table && clearsWhole(write));
  const isOrdered = (a: TaskId, b: TaskId): boolean => a === b || isEarlier(a, b) || isEarlier(b, a);

  const made: FoundTable[] = [];
  let open = [...writersOf].flatMap(([table, writers]) => {
    const { dropping = [], making = [], surely = [] } = ddl.get(table) ?? {};
    // Dropped by one task and made by another one, it is as empty in each run as if it were emptied.
    const remaking = surely.length === 0 ? [] : [...surely, ...making].filter((task) => !writers.includes(task));
    const remade = making.some((maker) => surely.some(({ id }) => id !== maker.id && isOrdered(id, maker.id)));
    const clearing = writers.find(({ id }) => clears(id, table)) ?? (remade ? making[0] : undefined);
    return clearing === undefined ? [] : [{ table, clearing, writers, remaking, dropping }];
  });
  const take = (only: 'dated' | 'any'): void => {
    open = open.filter(({ table, clearing, writers, remaking, dropping: droppers }) => {
      const along = writers.filter(({ id }) => isOrdered(id, clearing.id));
      const filling = along.filter(({ id }) => writesOf(id).some((write) => isFilling(write, table, names)));
      if (filling.length === 0) return false;
      // Several tasks side by side may empty it before it is filled.
      const beside = writers.filter(({ id }) => clears(id, table) && filling.some((one) => isEarlier(id, one.id)));
      const written = [...new Set([...along, ...beside])];
      const before = remaking.filter(({ id }) => filling.some((filler) => isEarlier(id, filler.id)));
      const own = [...new Set([...written, ...before])];
      const first = own.reduce((least, task) => (isEarlier(task.id, least.id) ? task : least), clearing);
      const isOwn = (id: TaskId): boolean => own.some((task) => task.id === id);
      const isBehind = (id: TaskId): boolean => !isOwn(id) && !isEarlier(id, first.id);
      const all = [...(readers.get(table) ?? [])];
      const reading = all.filter((id) => ids.has(id) && isBehind(id));
      const fromStage = ({ id }: Task): boolean =>
        made.some((other) => other.dated && other.using.includes(id) && readers.get(other.table)?.has(id) === true);
      const dated = filling.some((task) => isOfTheRun(task, facts.facts.get(task.id)) || fromStage(task));
      if (only === 'dated' && !dated) return true;
      const elsewhere = all.filter((id) => !isOwn(id) && !reading.includes(id));
      const dropping = droppers.map(({ id }) => id).filter((id) => isBehind(id) && !reading.includes(id));
      made.push({
        table,
        emptying: own.filter((task) => !filling.includes(task)).map(({ id }) => id),
        filling: filling.map(({ id }) => id),
        using: [...reading, ...dropping],
        first: first.id,
        dated,
        elsewhere,
        passesOn: reading.some((id) => writesOf(id).length > 0),
      });
      return false;
    });
  };
  for (let before = -1; open.length !== before; ) {
    before = open.length;
    take('dated');
  }
  take('any');
  return made;
}

const clearsWhole = ({ slice, mode }: WriteFact): boolean => slice.kind === 'whole-table' && mode === 'full_replace';

const isFilling = (write: WriteFact, table: string, names: Workspace['names']): boolean =>
  names(write.table) === table && write.empties !== true;

interface Remaking {
  /** Tasks with a DROP of the table, and those where nothing decides whether it is made. */
  readonly dropping: readonly Task[];
  readonly surely: readonly Task[];
  /** Tasks that make it without rows, whatever happens. */
  readonly making: readonly Task[];
}

function remakersOf({ tasks }: Pipeline, names: Workspace['names']): ReadonlyMap<string, Remaking> {
  const found = new Map<string, Remaking>();
  const statements = tasks.flatMap((task) =>
    task.sql.flatMap(({ reading, conditions = [] }) =>
      reading.statements.map((one) => ({ task, one, sure: !one.conditional && conditions.length === 0 })),
    ),
  );
  for (const { task, one, sure } of statements) {
    const { kind, targets, target, temporary } = one;
    const isMade = kind === 'create_table' && !temporary && sure;
    if (kind !== 'drop' && !isMade) continue;
    for (const { name } of targets.length > 0 ? targets : target === undefined ? [] : [target]) {
      const { dropping, surely, making } = found.get(names(name)) ?? { dropping: [], surely: [], making: [] };
      const joined = (list: readonly Task[], is: boolean): readonly Task[] =>
        is ? [...new Set([...list, task])] : list;
      found.set(names(name), {
        dropping: joined(dropping, kind === 'drop'),
        surely: joined(surely, kind === 'drop' && sure),
        making: joined(making, isMade),
      });
    }
  }
  return found;
}
