import type { DatabaseDefinitions } from '../../pipeline/model/database-definitions.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { makesSql } from '../../sql/calls/makes-sql.ts';
import { asBlock, type NamedInSql, namedInBody, namedInSql } from '../../sql/calls/named-in-sql.ts';
import { outsideCalls } from '../../sql/calls/outside-calls.ts';
import { nameParts } from '../../sql/model/name-parts.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { readDefinitions } from '../../warehouse/catalog/read-definitions.ts';
import {
  attachedCodeSql,
  ownCastsSql,
  ownOperatorsSql,
  programTablesSql,
} from '../../warehouse/dialects/postgres/attached-code-sql.ts';
import { quoteTableName } from '../../warehouse/dialects/postgres/quote.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { enterTransaction, protectiveSettings } from '../session/session-settings.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** A text that runs with a task, and whose it is in words: empty for the task's own. */
interface RunText {
  readonly text: string;
  readonly of: string;
  /** Of a body; `undefined`: statements or an expression. */
  readonly language: string | undefined;
}

/** Code that writes tables which have code attached, and so on, is followed no deeper. */
const maxRounds = 5;

export interface OutsideEffects {
  /** In words; empty where nothing is known. */
  readonly effects: readonly string[];
  /** Code that runs SQL which it makes, in words (`mart.load()`): what that does is not among the effects. */
  readonly makers: readonly string[];
}

/**
 * What tasks do that no rollback takes back, in words by task: in their statements, and in what these call: functions,
 * views, casts, and triggers, defaults, checks, indexes and rules of the tables that they write, wherever the catalog has their text. Code in
 * a language that may do anything counts. Reads the catalog only. Throws {@link WarehouseError}.
 */
export async function outsideEffects(
  warehouse: Warehouse,
  jobs: readonly UnitJob[],
): Promise<ReadonlyMap<TaskId, OutsideEffects>> {
  const byTask = new Map<TaskId, { readonly first: UnitJob; readonly texts: Map<string, string> }>();
  for (const job of jobs) {
    const known = byTask.get(job.task) ?? { first: job, texts: new Map<string, string>() };
    byTask.set(job.task, known);
    // Units of a task differ in their dates, seldom in what they call.
    for (const text of sentBy(job)) known.texts.set(text.replaceAll(/\d+/g, '0'), text);
  }
  const found = new Map<TaskId, OutsideEffects>();
  if (byTask.size === 0) return found;
  const session = await warehouse.connect('ledger');
  try {
    for (const [task, { first, texts }] of byTask) {
      found.set(task, await effectsOf(session, first, [...texts.values()]));
    }
    return found;
  } finally {
    await session.close();
  }
}

/** An undo takes rows away and puts others in their place, and that is what the code of the tables sees of it. */
const sentBy = ({ restores, slices, statements }: UnitJob): readonly string[] =>
  restores === undefined
    ? statements.map(({ text }) => text)
    : slices.flatMap(({ table }) => [
        `delete from ${quoteTableName(table)}`,
        `insert into ${quoteTableName(table)} default values`,
      ]);

async function effectsOf(session: Session, job: UnitJob, statements: readonly string[]): Promise<OutsideEffects> {
  const makers = new Set<string>();
  const effects = new Set<string>();
  const seen = new Set<string>();
  let open: readonly RunText[] = statements.map((text) => ({ text, of: '', language: undefined }));
  for (let round = 0; open.length > 0 && round < maxRounds; round++) {
    const names = joined(open.map(namesOf));
    const definitions = await inTransaction(session, job, async () => {
      const found = await readDefinitions(session, names);
      for (const table of await programTables(session, found))
        effects.add(`reading ${table} runs a program on the server`);
      return found;
    });
    const called = bodiesOf(definitions, effects);
    const texts = [...open, ...called];
    for (const text of texts) {
      for (const effect of effectsIn(text, definitions)) effects.add(effect);
      if (isMaker(text)) makers.add(text.of === '' ? 'its own DO block' : text.of);
    }
    const written = [...new Set(texts.flatMap(writtenBy))];
    const attached = await inTransaction(session, job, async () => [
      ...(await attachedCode(session, written, effects)),
      ...(await operatorsIn(session, texts, effects)),
      ...(await castsIn(session, texts, effects)),
    ]);
    open = attached.filter(({ text, of }) => !seen.has(`${of} ${text}`));
    for (const { text, of } of open) seen.add(`${of} ${text}`);
  }
  return { effects: [...effects], makers: [...makers] };
}

async function inTransaction<T>(session: Session, job: UnitJob, work: () => Promise<T>): Promise<T> {
  await session.query('begin isolation level read committed read only');
  await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  const done = await work();
  await session.query('rollback');
  return done;
}

const namesOf = ({ text, language }: RunText): NamedInSql =>
  language === undefined ? namedInSql(plainText(text), 'postgres') : namedInBody(text, language);

const joined = (all: readonly NamedInSql[]): NamedInSql => ({
  relations: [...new Set(all.flatMap(({ relations }) => relations))],
  routines: [...new Set(all.flatMap(({ routines }) => routines))],
});

/** Languages whose code the server keeps from nothing. */
const untrusted = /^(?:plpython\d?u|plperlu|pltclu|plsh|plrubyu|pljavau|plr|plmono|plphpu)$/;

/** Texts of everything that was found; code that cannot be read and may do anything is an effect by itself. */
function bodiesOf({ relations, routines }: DatabaseDefinitions, effects: Set<string>): readonly RunText[] {
  const texts = new Map<string, RunText>();
  for (const { name, query } of new Set(relations.values()))
    if (query !== undefined) texts.set(`relation ${name}`, { text: query, of: name, language: undefined });
  for (const routine of new Set([...routines.values()].flat())) {
    const { name, language, body } = routine;
    if (untrusted.test(language)) effects.add(`${name}() is written in ${language}, which may do anything`);
    if (body !== undefined) texts.set(`${name} ${body}`, { text: body, of: `${name}()`, language });
  }
  return [...texts.values()];
}

function effectsIn({ text, of, language }: RunText, { routines }: DatabaseDefinitions): readonly string[] {
  const block = language === 'plpgsql';
  const dynamic = /\bexecute\b/i.test(text);
  const calls = [text, ...doBody(text)].flatMap((part) => outsideCalls(part, dynamic || block));
  return calls
    .filter(({ name }) => !isOwn(name, routines))
    .map(({ name, does }) => `${name}${name === 'COPY' ? '' : '()'}${of === '' ? '' : ` in ${of}`} ${does}`);
}

const isMaker = ({ text, language }: RunText): boolean =>
  language === 'plpgsql' ? makesSql(text) : language === undefined && doBody(text).some(makesSql);

const doBody = (text: string): readonly string[] => (/^[\s;(]*do\b/i.test(text) ? bodyOfDo(text) : []);

const bodyOfDo = (text: string): readonly string[] => {
  const body = /\$(\w*)\$([\s\S]*)\$\1\$/.exec(text)?.[2];
  return body === undefined ? [] : [body];
};

/** A function of the user's own by that name, whose text was read instead. */
function isOwn(name: string, routines: DatabaseDefinitions['routines']): boolean {
  const same = [...routines].flatMap(([key, found]) => (key === name || key.endsWith(`.${name}`) ? found : []));
  return same.length > 0 && same.every(({ body }) => body !== undefined);
}

function writtenBy({ text, language }: RunText): readonly string[] {
  const whole = language === 'plpgsql' ? asBlock(text) : text;
  const all = (statement: Statement): readonly string[] => [
    ...(statement.target === undefined ? [] : [statement.target.name]),
    ...statement.targets.map(({ name }) => name),
    ...[...statement.modifying, ...statement.body].flatMap(all),
  ];
  return readSql(plainText(whole), 'postgres').statements.flatMap(all);
}

async function operatorsIn(
  session: Session,
  texts: readonly RunText[],
  effects: Set<string>,
): Promise<readonly RunText[]> {
  const { rows } = await session.query(ownOperatorsSql);
  return rows.flatMap(([operator, name, language, text]): RunText[] => {
    if (!texts.some((one) => one.text.includes(operator ?? ''))) return [];
    const of = `the operator ${operator} (${name}())`;
    if (untrusted.test(language ?? '')) effects.add(`${of} is written in ${language}, which may do anything`);
    return [{ text: text ?? '', of, language: language ?? undefined }];
  });
}

async function castsIn(session: Session, texts: readonly RunText[], effects: Set<string>): Promise<readonly RunText[]> {
  const { rows } = await session.query(ownCastsSql);
  return rows.flatMap(([type, name, language, text]): RunText[] => {
    if (type !== null && type !== undefined && !texts.some((one) => one.text.includes(type))) return [];
    const of = `the cast of ${name}`;
    if (untrusted.test(language ?? '')) effects.add(`${of} is written in ${language}, which may do anything`);
    return [{ text: text ?? '', of, language: language ?? undefined }];
  });
}

async function programTables(session: Session, { relations }: DatabaseDefinitions): Promise<readonly string[]> {
  const foreign = [...new Set(relations.values())].flatMap(({ name, kind }) =>
    kind === 'foreign table' ? [name] : [],
  );
  if (foreign.length === 0) return [];
  const names = `{${foreign.map((name) => JSON.stringify(name)).join(',')}}`;
  return (await session.query(programTablesSql, [names])).rows.map(([name]) => String(name));
}

async function attachedCode(
  session: Session,
  tables: readonly string[],
  effects: Set<string>,
): Promise<readonly RunText[]> {
  if (tables.length === 0) return [];
  const { rows } = await session.query(attachedCodeSql, [JSON.stringify(tables.map((name) => nameParts(name)))]);
  return rows.flatMap(([sort, name, language, text]): RunText[] => {
    if (sort === 'foreign') {
      // The other side of postgres_fdw is rolled back together with this one.
      if (text !== 'postgres_fdw') effects.add(`${name} is a foreign table, which is written by ${text}`);
      return [];
    }
    if (language !== null && language !== undefined && untrusted.test(language))
      effects.add(`the trigger ${name} is written in ${language}, which may do anything`);
    const isRead = language === null || language === 'sql' || language === 'plpgsql';
    const of = `the ${sort} ${name}`;
    return isRead ? [{ text: text ?? '', of, language: language ?? undefined }] : [];
  });
}
