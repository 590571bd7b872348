import {
  isKnownTable,
  lastPart,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
} from '../source/statement-view.ts';

/** A statement with the task that holds it. */
export interface OwnedStatement {
  readonly owner: TaskView;
  readonly view: StatementView;
}

/**
 * What of a pipeline may have to do with a table, by the table's key. In a pipeline of thousands of tasks every statement
 * is not looked at for every other one.
 */
export interface PipelineIndex {
  /** Statements that name it as a target, and those whose text alone can tell and mentions it. */
  on(key: string): readonly OwnedStatement[];
  /** Statements that read it. */
  reading(key: string): readonly OwnedStatement[];
  /** Tasks whose operator or arguments speak of emptying something, and whose arguments mention it. */
  emptying(key: string): readonly TaskView[];
  /** Statements that empty a table whose name only the run knows. */
  readonly emptyingAny: readonly OwnedStatement[];
  /** Statements that may take rows away from some table, or put rows in by a key. */
  readonly emptyingSome: readonly StatementView[];
}

/** Kinds whose text is searched for names, or that name a second table. */
const byText = /^(do|other|rename|alter_.*)$/;

const emptyingKinds: ReadonlySet<string> = new Set(['drop', 'truncate', 'delete']);

/** Kinds that may take rows away, or put rows in by a key. */
const rewrites: ReadonlySet<string> = new Set(
  (
    'delete truncate drop insert_overwrite insert_replace_where replace merge create_table_as alter_partition ' +
    'alter_swap alter_rename rename do'
  ).split(' '),
);

export function pipelineIndex(tasks: readonly TaskView[]): PipelineIndex {
  const named = new Map<string, OwnedStatement[]>();
  const mentioned = new Map<string, OwnedStatement[]>();
  const read = new Map<string, OwnedStatement[]>();
  const emptyingAny: OwnedStatement[] = [];
  const emptyingSome: StatementView[] = [];
  for (const owner of tasks) {
    for (const view of owner.statements) {
      const { kind, targets, reads } = view.statement;
      if (rewrites.has(kind) || view.statement.conflict !== undefined) emptyingSome.push(view);
      if (emptyingKinds.has(kind) && targets.some((target) => !isKnownTable(view, target)))
        emptyingAny.push({ owner, view });
      if (byText.test(kind)) addAll(mentioned, wordsOf(sourceText(view, view.statement)), { owner, view });
      else
        addAll(
          named,
          targets.flatMap((target) => [tableKey(view, target), target.name].map(lastPart)),
          { owner, view },
        );
      addAll(
        read,
        reads.map((table) => lastPart(tableKey(view, table))),
        { owner, view },
      );
    }
  }
  let emptied: ReadonlyMap<string, readonly TaskView[]> | undefined;
  return {
    emptyingAny,
    emptyingSome,
    on: (key) => [...(mentioned.get(lastWord(key)) ?? []), ...(named.get(lastPart(key)) ?? [])],
    reading: (key) => read.get(lastPart(key)) ?? [],
    emptying(key) {
      emptied ??= emptyingTasks(tasks);
      return emptied.get(lastWord(key)) ?? [];
    },
  };
}

/** Seldom asked, and every word of all arguments: made when it is. */
function emptyingTasks(tasks: readonly TaskView[]): ReadonlyMap<string, readonly TaskView[]> {
  const found = new Map<string, TaskView[]>();
  for (const task of tasks) if (mayEmpty(task)) addAll(found, textArguments(task).flatMap(wordsOf), task);
  return found;
}

/** Words without their quotes: a text that mentions a name has the last word of the name. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/["`]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu) ?? [];

const lastWord = (key: string): string => wordsOf(key).at(-1) ?? '';

function addAll<T>(lists: Map<string, T[]>, names: readonly string[], one: T): void {
  for (const name of new Set(names)) {
    const known = lists.get(name);
    if (known === undefined) lists.set(name, [one]);
    else known.push(one);
  }
}

const emptyingWord = /delete|truncate|drop|clear|clean|empty/i;

const mayEmpty = (view: TaskView): boolean =>
  emptyingWord.test(view.task.operator) || textArguments(view).some((text) => emptyingWord.test(text));

const textArguments = ({ task }: TaskView): readonly string[] =>
  task.arguments.flatMap(({ value }) =>
    value.kind === 'literal' && typeof value.value === 'string' ? [value.value] : [],
  );
