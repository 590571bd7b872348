import { type ViewDefinition, viewDefinitions } from '../../warehouse/catalog/view-definitions.ts';
import type { Session, WarehouseDescription } from '../../warehouse/port/ports.ts';
import { namesRead } from '../tables/names-read.ts';
import type { Target } from '../tables/target.ts';
import type { JobInput, UnitJob } from '../unit/unit-job.ts';
import { builtInReach, type Reach, searchesText } from './built-in-reach.ts';
import { keptElsewhere } from './kept-elsewhere.ts';
import { type FunctionObject, namedObjects, type RelationObject, writingObjects } from './unseen-objects.ts';
import { readUnseenText, schemasOf, type UnseenText } from './unseen-text.ts';

/** What a task rests on that its own text does not show. */
export interface UnseenReads {
  /**
   * Tables that functions, triggers, defaults and checks of the database read: whole, for nobody knows which rows. And of
   * targets in which a key finds rows of other slices, all of these.
   */
  readonly inputs: readonly JobInput[];
  /** Views that rows come through on their way to it, each once. */
  readonly views: readonly ViewDefinition[];
  /** Why its result may be another one with the same inputs, in words; `undefined`: it is not. */
  readonly open: string | undefined;
  /** As `open`, where that does not change by itself from run to run. */
  readonly unrecorded: string | undefined;
}

type Kind = UnseenText['kind'];

/**
 * Everything in the database that decides what a unit's statements make: functions that they call, operators and casts
 * of the user's own, triggers, defaults and checks of the tables that they write, views that they read, and what all of these
 * call in turn: a query of a view counts as if it stood in the task. Texts are
 * read name by name: more may be taken for a table than is one, never less. What cannot be read leaves the result open.
 * Nothing is run.
 */
export async function unseenReads(
  session: Session,
  { slices, statements, inputs }: UnitJob,
  targets: readonly Target[],
  server: WarehouseDescription,
): Promise<UnseenReads> {
  const takesClock = slices.some(({ volatile }) => volatile.length > 0);
  const mayRest = (reach: Reach, kind: Kind): boolean =>
    kind === 'default' ? reach !== 'other' : takesClock && (reach === 'clock' || reach === 'identity');
  const own = new Set(targets.map(({ qualified }) => qualified.slice(qualified.lastIndexOf('.') + 1)));
  const written = await writingObjects(session, targets, server);
  const tables = new Map<string, RelationObject>();
  const followed = new Set<string>();
  const open: { readonly what: string; readonly changes: boolean }[] = [];
  if (written.opaque) open.push({ what: 'rules or row security of a written table', changes: false });

  const searched = { what: 'files of text search dictionaries', changes: false };
  const texts: UnseenText[] = [
    ...statements.map(({ text }) => ({ text, kind: 'task' as const, path: undefined })),
    ...written.expressions.map((text) => ({ text, kind: 'default' as const, path: undefined })),
    ...written.domains
      .filter(({ domain, kept }) => kept || statements.some(({ text }) => text.includes(domain)))
      .map(({ check }) => ({ text: check, kind: 'default' as const, path: undefined })),
  ];
  const functions: { readonly called: FunctionObject; readonly by: Kind }[] = [];
  for (const { after, condition, function: called } of written.triggers) {
    if (after && (await onlyKeepsJournal(session, called, own, server))) continue;
    if (condition !== null) texts.push({ text: condition, kind: 'trigger', path: undefined });
    functions.push({ called, by: 'trigger' });
  }
  for (const { operator, function: called } of written.operators) {
    if (operator === null || statements.some(({ text }) => text.includes(operator)))
      functions.push({ called, by: 'function' });
  }
  const views = new Map<string, ViewDefinition>();
  const asked = new Set<string>();
  const openViews = async (): Promise<void> => {
    const fresh = [...namesRead({ statements, inputs }), ...tables.keys()].filter((name) => !asked.has(name));
    for (const name of fresh) asked.add(name);
    for (const found of await viewDefinitions(session, fresh)) {
      if (views.has(found.view)) continue;
      views.set(found.view, found);
      texts.push({ text: found.query, kind: 'task', path: undefined });
    }
  };
  await openViews();
  while (texts.length + functions.length > 0) {
    for (const { called, by } of functions.splice(0)) {
      const key = `${called.oid} ${by}`;
      if (followed.has(key)) continue;
      followed.add(key);
      if (written.filedDictionaries && called.builtIn && searchesText(called.name)) open.push(searched);
      const body = bodyOf(called, by);
      if ('reach' in body) {
        if (body.reach !== undefined && !mayRest(body.reach, by))
          open.push({ what: `${called.name}()`, changes: body.reach !== 'other' });
      } else texts.push(body);
    }
    for (const text of texts.splice(0)) {
      if (written.filedDictionaries && text.text.includes('@@')) open.push(searched);
      const { names, stop, readsClock } = readUnseenText(text, own);
      if (stop !== undefined) open.push({ what: stop, changes: false });
      if (readsClock && !mayRest('clock', text.kind)) open.push({ what: 'the clock', changes: true });
      const tasks = text.kind === 'task';
      const objects = await namedObjects(session, names, { path: text.path, tables: !tasks }, server);
      functions.push(...objects.functions.map((called) => ({ called, by: tasks ? ('function' as const) : text.kind })));
      for (const relation of objects.relations) {
        if (relation.kind === 'S') open.push({ what: `the sequence ${nameOf(relation)}`, changes: true });
        else tables.set(nameOf(relation), relation);
      }
    }
    if (texts.length + functions.length === 0) await openViews();
  }
  const elsewhere = await keptElsewhere(session, statements, targets);
  return {
    inputs: [...[...tables.values()].map(wholeTable), ...elsewhere],
    views: [...views.values()],
    open: open[0]?.what,
    unrecorded: open.find(({ changes }) => !changes)?.what,
  };
}

const nameOf = ({ schema, name }: RelationObject): string => `${schema}.${name}`;
const wholeTable = (relation: RelationObject): JobInput => ({
  table: nameOf(relation),
  column: undefined,
  from: undefined,
  to: undefined,
});

/** The text of a function, or what its result rests on where it has none that can be read. */
function bodyOf(called: FunctionObject, by: Kind): UnseenText | { readonly reach: Reach | undefined } {
  const { text, path, name, volatility, builtIn, language } = called;
  if (builtIn || language === 'c' || language === 'internal') return { reach: builtInReach(name, volatility) };
  const schemas = path === null ? undefined : schemasOf(path);
  if (text === null || (path !== null && schemas === undefined)) return { reach: 'other' };
  return { text, kind: by === 'task' ? 'function' : by, path: schemas };
}

/** A trigger that fires when the row is written already, and adds rows to other tables only, cannot change the slice. */
async function onlyKeepsJournal(
  session: Session,
  called: FunctionObject,
  own: ReadonlySet<string>,
  server: WarehouseDescription,
): Promise<boolean> {
  if (called.text === null) return false;
  const { names, stop } = readUnseenText({ text: called.text, kind: 'trigger', path: undefined }, own);
  if (stop !== undefined) return false;
  const { functions } = await namedObjects(session, names, { path: undefined, tables: false }, server);
  return functions.every(({ builtIn }) => builtIn);
}
