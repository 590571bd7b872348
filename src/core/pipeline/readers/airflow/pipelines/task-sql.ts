import type { DialectName } from '../../../../sql/model/dialect-name.ts';
import { schemasOf } from '../../../../sql/names/search-path.ts';
import type { TemplateEnvironment } from '../../../../template/names/template-environment.ts';
import { wholeFile } from '../../../../text/mapped-text.ts';
import type { Problem, SourceSpan } from '../../../../text/span.ts';
import { postgresZone } from '../../../../time/zones/postgres-zone.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import type { Condition } from '../../../model/condition.ts';
import type { FileSet, TaskSql } from '../../../model/model.ts';
import type { ReaderOptions } from '../../../model/reader-options.ts';
import type { Unread } from '../../../model/table-access.ts';
import type { SessionSetting } from '../../../model/task-session.ts';
import type { TaskSqlMaker } from '../../../model/task-sql-maker.ts';
import { markParameters } from '../../../python/library/format-text.ts';
import { normalPath } from '../../../python/library/paths.ts';
import { whichOf } from '../../../python/values/chosen.ts';
import { truthOf } from '../../../python/values/make-value.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Keyword, TextValue, Value } from '../../../python/values/value.ts';
import { connectionOf } from '../operators/operator-connection.ts';
import { givenSql } from '../operators/sql-arguments.ts';
import type { SqlArgument, SqlOperator } from '../operators/sql-operator.ts';
import { dialectOfName, templateExtensions } from '../operators/sql-operators.ts';
import { booleanOf, isNone } from '../program/arguments.ts';
import { dagArgument, type Program, type TaskBuilder, taskArgument } from '../program/program.ts';
import { driverParameters } from '../session/driver-parameters.ts';
import { parameterValue } from '../session/parameter-value.ts';
import { missingTemplate } from '../templates/missing-template.ts';
import { hasTemplate } from '../templates/rendered-value.ts';
import { templateEnvironment } from '../templates/template-environment.ts';
import { templateFile } from '../templates/template-file.ts';

/** What the SQL of a file's tasks is read with. */
export interface SqlContext {
  readonly file: string;
  readonly files: FileSet;
  readonly options: ReaderOptions;
  readonly makeTaskSql: TaskSqlMaker;
  /** Files that tasks of the DAG file write. */
  readonly written: Program['written'];
  /** Set for a DAG that no schedule starts: see {@link TemplateEnvironment}. */
  readonly conf?: TemplateEnvironment['conf'];
}

/** The SQL that an operator is given: inline, a list, or template files. What is not known of it goes to `unread`. */
export function operatorSql(
  task: TaskBuilder,
  operator: SqlOperator,
  connection: string | undefined,
  context: SqlContext,
  problems: Problem[],
  unread: Unread[],
  settings: readonly SessionSetting[],
): TaskSql[] {
  const bound = taskArgument(task, 'parameters')?.value;
  // What is empty is not handed on, and no percent sign is a placeholder then.
  const values = bound === undefined || truthOf(bound) === false ? undefined : parameterValue(bound);
  const eachStatement = booleanOf(taskArgument(task, 'split_statements'))?.value === true;
  const texts = (
    given: Keyword | undefined,
    side: SqlArgument,
    id: string | undefined,
    session: number | undefined,
  ): TaskSql[] => {
    if (given === undefined || isNone(given.value)) return [];
    const items = given.value.kind === 'list' ? given.value.items : [given.value];
    return items
      .flatMap((item, index) => alternatives(item, given).map((one) => ({ ...one, index })))
      .flatMap(({ value, conditions, index }) => {
        const written = writtenTexts(value, operator, task, context);
        if (written.length > 0) {
          const reason = 'its SQL is what a task writes into the file, as far as that is followed';
          unread.push({ hides: 'statement', reason, at: given.at });
          const dialect = dialectOf(side, id, context.options);
          return written.map(({ text, conditions: under }) =>
            context.makeTaskSql(text.mapped, text.holes, dialect, originOf(text, context.file), {
              session,
              conditions: under,
              sessionZone: zoneOf(settings, id, dialect, context.options),
            }),
          );
        }
        const text = textOf(value, given, task, operator, context, problems);
        if ('reason' in text) {
          unread.push({ hides: 'statement', ...text, at: given.at });
          return [];
        }
        const marked = values === undefined ? text.value : markParameters(text.value, values, eachStatement);
        const environment = templateEnvironment(marked.mapped.text, task, context);
        const dialect = dialectOf(side, id, context.options);
        const handed = driverParameters(task, dialect, templateExtensions(operator), context);
        const parameters = handed === undefined || 'reason' in handed ? undefined : handed;
        const searchPath = searchPathOf(settings, id, context.options);
        const parts = {
          // What is mapped over is sent by a task each, over a connection of its own.
          session: task.mapped === undefined ? session : index,
          conditions,
          environment,
          parameters,
          searchPath,
          sessionZone: zoneOf(settings, id, dialect, context.options),
        };
        return [context.makeTaskSql(marked.mapped, marked.holes, dialect, text.origin, parts)];
      });
  };
  const main = givenSql(task, operator);
  const { sides } = operator;
  if (sides === undefined) return texts(main, operator, connection, undefined);
  return [
    ...texts(main, operator, connection, 0),
    ...sides.flatMap((side, index) => texts(givenSql(task, side), side, connectionOf(task, side), index + 1)),
  ];
}

/** The texts that a condition chooses from, each with what it is chosen by; any other value as it is. */
function alternatives(
  value: Value,
  { at }: Keyword,
): readonly { readonly value: Value; readonly conditions: readonly Condition[] }[] {
  const options = value.kind === 'unknown' ? (value.options ?? []) : [];
  if (options.length < 2 || !options.every(({ kind }) => kind === 'text' || kind === 'path'))
    return [{ value, conditions: [] }];
  const decidedBy = value.kind === 'unknown' ? value.decidedBy : undefined;
  return options.map((option, index) => ({
    value: option,
    conditions: whichOf(options.length, index, { key: `sql ${at.file} ${at.start}`, text: 'its SQL', at }, decidedBy),
  }));
}

/** What tasks of the file write into the template file that a value names, where the workspace has no such file. */
function writtenTexts(
  value: Value,
  operator: SqlOperator,
  task: TaskBuilder,
  { files, file, written }: SqlContext,
): Program['written'] {
  const path = plainText(value);
  if (path === undefined || !templateExtensions(operator).some((ending) => path.endsWith(ending))) return [];
  const name = normalPath(path).replace(/^\/+/, '');
  const found = written.filter((one) => one.path === name || one.path.endsWith(`/${name}`));
  if (found.length === 0) return [];
  const searchPath = task.dag && dagArgument(task.dag, 'template_searchpath')?.value;
  return templateFile(files, path, file, searchPath) === undefined ? found : [];
}

/** The text of one value, or why there is none. */
function textOf(
  value: Value,
  given: Keyword,
  task: TaskBuilder,
  operator: SqlOperator,
  context: SqlContext,
  problems: Problem[],
): { readonly value: TextValue; readonly origin: TaskSql['origin'] } | Pick<Unread, 'reason' | 'searchPath'> {
  const path = value.kind === 'path' ? value.path : value.kind === 'text' ? value.mapped.text : undefined;
  const isFile =
    path !== undefined && !/\n/.test(path) && templateExtensions(operator).some((ending) => path.endsWith(ending));
  const place = givenPlace(value, given, context.file);
  if (path === undefined || (isFile && value.kind === 'text' && value.holes.length > 0)) {
    return { reason: `its SQL is not known before it runs${reasonOf(value)}` };
  }
  if (!isFile)
    return value.kind === 'text' ? { value, origin: originOf(value, context.file) } : { reason: 'its SQL is a path' };
  const searchPath = task.dag && dagArgument(task.dag, 'template_searchpath')?.value;
  const file = templateFile(context.files, path, context.file, value.kind === 'path' ? derivedText('.') : searchPath);
  const text = file === undefined ? undefined : context.files.read(file);
  if (file === undefined || text === undefined) {
    const missing = missingTemplate(path, searchPath, context);
    if (missing.problem !== undefined) problems.push({ message: missing.problem, at: place, severity: 'warning' });
    return missing.unread;
  }
  return { value: { kind: 'text', mapped: wholeFile(file, text), holes: [], clocks: [] }, origin: 'file' };
}

/** Where a value of the SQL argument is written, when it is in this file; else the argument. */
function givenPlace(value: Value, given: Keyword, file: string): SourceSpan {
  const written = value.kind === 'text' ? value.mapped.pieces[0]?.source : undefined;
  return written?.file === file ? written : given.valueAt;
}

function originOf(value: TextValue, file: string): TaskSql['origin'] {
  const other = value.mapped.pieces.find((piece) => piece.source.file !== file);
  if (other === undefined) return 'inline';
  return other.source.file.endsWith('.py') ? 'imported' : 'file';
}

const reasonOf = (value: Value): string => (value.kind === 'unknown' ? `: ${value.reason}` : '');

export function dialectOf(operator: SqlArgument, connection: string | undefined, options: ReaderOptions): DialectName {
  const configured = connection === undefined ? undefined : options.connections[connection]?.dialect;
  return configured ?? toldByConnection(operator.dialect, connection) ?? options.defaultDialect;
}

/** Operators and hooks of Postgres are used for Redshift as well, whose connection then often is called so. */
const toldByConnection = (dialect: DialectName | undefined, connection: string | undefined): DialectName | undefined =>
  dialect === 'postgres' && /redshift/i.test(connection ?? '') ? 'redshift' : dialect;

function zoneOf(
  settings: readonly SessionSetting[],
  connection: string | undefined,
  dialect: DialectName,
  options: ReaderOptions,
): ZoneName | undefined {
  const setting = settings.findLast(({ name }) => name === 'timezone');
  if (setting !== undefined) return postgresZone(setting.value);
  const named = connection === undefined ? undefined : options.connections[connection];
  if (named !== undefined) return named.zone;
  return options.defaultConnection?.dialect === dialect ? options.defaultConnection.zone : undefined;
}

/** The schemas that a session looks through: its operator's, else its connection's. */
function searchPathOf(
  settings: readonly SessionSetting[],
  connection: string | undefined,
  options: ReaderOptions,
): readonly string[] | undefined {
  const setting = settings.findLast(({ name }) => name === 'search_path');
  if (setting !== undefined) return setting.value.includes('{') ? undefined : schemasOf(setting.value);
  return connection === undefined ? undefined : options.connections[connection]?.searchPath;
}

/** The SQL that the Python of a task sends. */
export function sentTaskSql(task: TaskBuilder, { file, options, makeTaskSql }: SqlContext): TaskSql[] {
  return task.sent.map((sent) => {
    const { text, call, client, connection, settings, session, commits, byRow, conditions, composed, overwrites } =
      sent;
    const configured = connection === undefined ? undefined : options.connections[connection]?.dialect;
    const dialect = configured ?? toldByConnection(dialectOfName(client), connection) ?? options.defaultDialect;
    return makeTaskSql(text.mapped, text.holes, dialect, originOf(text, file), {
      session,
      commits,
      byRow,
      sentBy: call.at,
      composed,
      overwrites,
      conditions,
      sessionZone: zoneOf(settings, connection, dialect, options),
      searchPath: searchPathOf(settings, connection, options),
      // Airflow renders what the Python is given, not what it says.
      plain: task.callable !== undefined && !task.rendersTexts && text.rendered !== true && hasTemplate(text),
    });
  });
}
