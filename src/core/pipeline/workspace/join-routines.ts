import { type CallInSql, callsInSql } from '../../sql/calls/calls-in-sql.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { CalledRoutine, FileReading, Pipeline, Task, TaskSql } from '../model/model.ts';
import { bindRoutine } from '../routines/bind-routine.ts';
import { type DefinedRoutine, definedRoutines as definedRoutinesOf, inDialect } from '../routines/defined-routines.ts';
import { preparedStatements } from '../routines/prepared-statements.ts';
import { partOf, type TextPart } from '../routines/text-part.ts';
import { createMemo, oncePer, sameItems } from './memo.ts';

const definedRoutines = oncePer(definedRoutinesOf);

/** Routines that call routines beyond this are not followed. */
const maxDepth = 5;

/**
 * Readings whose tasks know what the routines do that they call and a file of the workspace makes, and what they prepare. The same objects as
 * before where that is nothing, or nothing new.
 */
export function routineJoiner(): (readings: readonly FileReading[]) => readonly FileReading[] {
  let known: readonly DefinedRoutine[] = [];
  const joinedOf = createMemo<FileReading, Record<string, never>, FileReading>();
  const definedIn = oncePer((reading: FileReading) =>
    reading.pipelines.flatMap(({ tasks }) => tasks.flatMap(definedRoutines)),
  );
  return (readings) => {
    const defined = readings.flatMap(definedIn);
    if (!sameItems(defined, known)) known = defined;
    const named = byLastPart(known);
    const joined = readings.map((reading) => joinedOf(reading, [known], {}, () => withRoutines(reading, named)));
    return sameItems(joined, readings) ? readings : joined;
  };
}

const readAgain = oncePer((_: DefinedRoutine) => new Map<DialectName, DefinedRoutine | undefined>());

function asCalled(routine: DefinedRoutine, dialect: DialectName): DefinedRoutine | undefined {
  const known = readAgain(routine);
  if (!known.has(dialect)) known.set(dialect, inDialect(routine, dialect));
  return known.get(dialect);
}

type Named = ReadonlyMap<string, readonly DefinedRoutine[]>;

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function byLastPart(routines: readonly DefinedRoutine[]): Named {
  const found = new Map<string, DefinedRoutine[]>();
  for (const routine of routines) {
    const key = lastPart(routine.name);
    const others = found.get(key);
    if (others === undefined) found.set(key, [routine]);
    else others.push(routine);
  }
  return found;
}

function withRoutines(reading: FileReading, named: Named): FileReading {
  let isSame = true;
  const pipelines = reading.pipelines.map((pipeline): Pipeline => {
    const tasks = pipeline.tasks.map((task): Task => {
      const routines = [...preparedStatements(task), ...calledBy(task, named)];
      return routines.length === 0 ? task : { ...task, routines };
    });
    if (sameItems(tasks, pipeline.tasks)) return pipeline;
    isSame = false;
    return { ...pipeline, tasks };
  });
  return isSame ? reading : { ...reading, pipelines };
}

const calledBy = (task: Task, named: Named): readonly CalledRoutine[] =>
  task.sql.flatMap((sql, sqlIndex) => {
    if (named.size === 0 || !sql.masked.text.includes('(')) return [];
    const called: CalledRoutine[] = [];
    const follow = (
      calls: readonly CallInSql[],
      caller: TaskSql,
      place: number | undefined,
      path: readonly string[],
    ): void => {
      for (const call of calls) {
        const found = named.has(lastPart(call.name)) ? meant(call, task, named) : undefined;
        const own = found && asCalled(found, caller.dialect);
        if (own === undefined || path.includes(own.name) || path.length >= maxDepth) continue;
        const at = place ?? call.start;
        const bound = bindRoutine(own, argumentsOf(call, own, caller), caller);
        // A function that only computes says nothing about tables.
        if (!own.isProcedure && own.body !== undefined && bound.sql.reading.statements.length === 0) continue;
        called.push({ sqlIndex, at, name: call.name, ...bound });
        follow(callsInside(bound.sql), bound.sql, at, [...path, own.name]);
      }
    };
    follow(callsOutside(sql), sql, undefined, []);
    return called;
  });

/** Calls of a text itself: the body of a routine that it makes runs where that is called, a trigger where rows are written. */
function callsOutside({ masked, dialect, reading }: TaskSql): readonly CallInSql[] {
  const made = reading.statements.filter(
    ({ kind, start, end }) =>
      kind === 'create_procedure' || (kind === 'other' && makesTrigger.test(masked.text.slice(start, end))),
  );
  return callsInSql(masked, dialect).filter(
    ({ start }) => !made.some((routine) => routine.start <= start && start < routine.end),
  );
}

const makesTrigger = /^create\s+(?:or\s+replace\s+)?(?:constraint\s+)?(?:event\s+)?trigger\b/i;

/** Calls in the statements of a body; its head is no call. */
const callsInside = (sql: TaskSql): readonly CallInSql[] =>
  callsInSql(sql.masked, sql.dialect).filter(({ start }) =>
    sql.reading.statements.some((one) => one.start <= start && start < one.end),
  );

/** The one routine that a call can mean; none where several can. What the task makes itself comes first. */
function meant(call: CallInSql, task: Task, named: Named): DefinedRoutine | undefined {
  const fitting = (named.get(lastPart(call.name)) ?? []).filter(
    ({ name, parameters }) =>
      sameName(name, call.name) &&
      call.arguments.length <= parameters.length &&
      parameters.every(
        (parameter, index) => index < call.arguments.length || parameter.default !== undefined || parameter.isOut,
      ),
  );
  const exact = fitting.filter(({ name }) => name === call.name);
  const own = definedRoutines(task).filter((routine) => fitting.includes(routine));
  for (const candidates of [own.slice(-1), exact, fitting]) if (candidates.length > 0) return only(candidates);
  return undefined;
}

const only = (routines: readonly DefinedRoutine[]): DefinedRoutine | undefined =>
  routines.length === 1 ? routines[0] : undefined;

const sameName = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);

/** `p_day => '…'`, or the one in its place. */
function argumentsOf(
  { arguments: given }: CallInSql,
  { parameters }: DefinedRoutine,
  caller: TaskSql,
): readonly (TextPart | undefined)[] {
  const { text } = caller.source;
  const named = given.map(({ start, end }) => {
    const found = /^\s*"?([\w$]+)"?\s*(?:=>|:=)\s*/.exec(text.slice(start, end));
    return found === null
      ? { name: undefined, span: { start, end } }
      : { name: found[1]?.toLowerCase(), span: { start: start + found[0].length, end } };
  });
  return parameters.map(({ name }, index) => {
    const own =
      named.find((one) => one.name !== undefined && one.name === name.toLowerCase()) ??
      (named[index]?.name === undefined ? named[index] : undefined);
    return own === undefined ? undefined : partOf(caller, own.span);
  });
}
