import { argument } from '../../../python/calls/call.ts';
import { hostValue, none } from '../../../python/values/make-value.ts';
import type { Call, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { columnOf, columnText } from '../columns/column.ts';
import { tableFrame } from '../frames/frame.ts';
import { frameOf, queryText } from '../frames/frame-query.ts';
import { methodAt } from '../frames/writer.ts';
import { plain, sparkWorkOf } from '../session/spark-work.ts';
import { pathTable } from '../text/file-path.ts';
import { holeOf, joined, nameOf, type SqlPart, sqlOf } from '../text/sql-parts.ts';

/** `DeltaTable.forName(spark, …)`, `.forPath(spark, …)`; `undefined` for its other functions. */
export function deltaTable(name: string, call: Call, run: Interpreter): Value | undefined {
  const given = argument(call, name === 'forPath' ? 'path' : 'tableOrViewName', 1);
  if (given === undefined) return undefined;
  const text = given.value.kind === 'text' ? given.value : holeOf(given.value, given.valueAt, run);
  if (name === 'forName') return tableValue(text, undefined);
  return name === 'forPath' ? tableValue(pathTable(text).table, undefined) : undefined;
}

const method = (type: string, call: (given: Call, run: Interpreter) => Value): Value =>
  hostValue({ type: `delta-${type}`, isFree: true, call });

/** A condition, or a value to be set, as SQL: a text is SQL, and so is a column. */
const expressionOf = (value: Value, call: Call, run: Interpreter): TextValue =>
  columnOf(value)?.text ?? (value.kind === 'text' ? value : holeOf(value, call.positionalAt[0] ?? call.at, run));

function tableValue(table: TextValue, alias: TextValue | undefined): Value {
  return hostValue({
    type: 'delta-table',
    isFree: true,
    attribute: (name) => {
      switch (name) {
        case 'alias':
          return method('alias', ({ positional: [given] }) =>
            tableValue(table, given?.kind === 'text' ? given : alias),
          );
        case 'toDF':
          return method('frame', (_call, run) => tableFrame(table, run));
        case 'delete':
          return method('delete', (call, run) => {
            const [condition] = call.positional;
            const where = condition === undefined ? [] : [' WHERE ', expressionOf(condition, call, run)];
            const head = { text: sqlOf('DELETE FROM ', table), at: methodAt(call, 'delete', run) };
            sparkWorkOf(run).note({ text: sqlOf(head, ...where), call, composed: plain });
            return none;
          });
        case 'update':
          return method('update', (call, run) => {
            const condition = argument(call, 'condition', 0);
            const set = assignments(argument(call, 'set', 1)?.value, run);
            const where = condition === undefined ? [] : [' WHERE ', expressionOf(condition.value, call, run)];
            const head = { text: sqlOf('UPDATE ', table), at: methodAt(call, 'update', run) };
            sparkWorkOf(run).note({ text: sqlOf(head, ' SET ', set ?? 'a = b', ...where), call, composed: plain });
            return none;
          });
        case 'merge':
          return method('merge', (call, run) => {
            const source = frameOf(argument(call, 'source', 0)?.value);
            const condition = argument(call, 'condition', 1);
            const rows =
              source === undefined ? undefined : sqlOf('(', queryText(source.query), `) AS ${nameOf(source.alias)}`);
            const on = condition === undefined ? sqlOf('true') : expressionOf(condition.value, call, run);
            const head = { text: sqlOf('MERGE INTO ', table), at: methodAt(call, 'merge', run) };
            const into = sqlOf(head, ...(alias === undefined ? [] : [' AS ', alias]));
            return mergeValue([into, ' USING ', rows ?? '(SELECT 1) AS source', ' ON ', on]);
          });
        default:
          return method('other', () => tableValue(table, alias));
      }
    },
  });
}

/** The branches of a merge, until it is carried out. */
function mergeValue(parts: readonly SqlPart[]): Value {
  const branch = (words: string, action: (call: Call, run: Interpreter) => SqlPart, conditionAt: number): Value =>
    method('branch', (call, run) => {
      const condition = argument(call, 'condition', conditionAt)?.value;
      const and =
        condition === undefined || condition.kind === 'scalar' ? [] : [' AND ', expressionOf(condition, call, run)];
      return mergeValue([
        ...parts,
        ` WHEN ${words}`,
        ...and,
        ' THEN ',
        { text: sqlOf(action(call, run)), at: call.at },
      ]);
    });
  const setting = (call: Call, run: Interpreter, name: string): TextValue | undefined =>
    assignments(
      (call.keywords.get(name) ?? [...call.keywords.values()].find(({ value }) => value.kind === 'dict'))?.value ??
        call.positional.find(({ kind }) => kind === 'dict'),
      run,
    );
  return hostValue({
    type: 'delta-merge',
    isFree: true,
    attribute(name) {
      switch (name) {
        case 'whenMatchedUpdateAll':
          return branch('MATCHED', () => 'UPDATE SET *', 0);
        case 'whenMatchedUpdate':
          return branch('MATCHED', (call, run) => sqlOf('UPDATE SET ', setting(call, run, 'set') ?? '*'), 0);
        case 'whenMatchedDelete':
          return branch('MATCHED', () => 'DELETE', 0);
        case 'whenNotMatchedInsertAll':
          return branch('NOT MATCHED', () => 'INSERT *', 0);
        case 'whenNotMatchedInsert':
          return branch('NOT MATCHED', (call) => insertOf(call), 0);
        case 'whenNotMatchedBySourceDelete':
          return branch('NOT MATCHED BY SOURCE', () => 'DELETE', 0);
        case 'whenNotMatchedBySourceUpdate':
          return branch(
            'NOT MATCHED BY SOURCE',
            (call, run) => sqlOf('UPDATE SET ', setting(call, run, 'set') ?? '*'),
            0,
          );
        case 'execute':
          return method('execute', (call, run) => {
            sparkWorkOf(run).note({ text: sqlOf(...parts), call, composed: plain });
            return none;
          });
        default:
          return method('other', () => mergeValue(parts));
      }
    },
  });
}

/** `{"n": "s.n", "day": F.col("s.day")}`; values that are texts are SQL. */
function assignments(value: Value | undefined, run: Interpreter): TextValue | undefined {
  if (value?.kind !== 'dict' || value.open || value.entries.size === 0) return undefined;
  const items = [...value.entries].map(([name, entry]) =>
    sqlOf(
      `${plainName(name)} = `,
      entry.value.kind === 'text' ? entry.value : columnText(entry.value, entry.valueAt, run),
    ),
  );
  return joined(items, ', ');
}

/** The columns that a branch inserts. */
function insertOf(call: Call): SqlPart {
  const given =
    [...call.keywords.values()].find(({ value }) => value.kind === 'dict')?.value ??
    call.positional.find(({ kind }) => kind === 'dict');
  if (given?.kind !== 'dict' || given.open || given.entries.size === 0) return 'INSERT *';
  const names = [...given.entries.keys()].map(plainName).join(', ');
  const values = joined(
    [...given.entries.values()].map(({ value }) => (value.kind === 'text' ? value : (columnOf(value)?.text ?? 'NULL'))),
    ', ',
  );
  return sqlOf(`INSERT (${names}) VALUES (`, values, ')');
}

const plainName = (name: string): string => (/^[\w.]+$/.test(name) ? name : nameOf(name));
