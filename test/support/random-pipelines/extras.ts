import type { TaskModel, WorkspaceModel } from './model.ts';

/** What tasks of real projects do beside replacing rows, and what stands in their databases. */
export const extras = [
  'function',
  'trigger',
  'setting',
  'index',
  'comment',
  'side table',
  'partition',
  'hidden write',
  'swap',
] as const;
export type Extra = (typeof extras)[number];

/** Gives about every second task something of its own; the same number the same. */
export function withExtras(
  model: WorkspaceModel,
  chance: readonly number[],
  among: readonly Extra[] = extras,
): WorkspaceModel {
  return {
    ...model,
    tasks: model.tasks.map((task, index): TaskModel => {
      const gene = chance[index % chance.length] as number;
      const extra = among[gene % (among.length * 2)];
      const fits = extra !== 'swap' || (task.write.kind === 'replace' && task.write.before[0]?.includes('{table}'));
      return extra === undefined || !fits ? task : { ...task, extra };
    }),
  };
}

/** What stands in the database: a table that only functions read, a journal that only a function writes. */
export const extraObjects = ({ schema, tasks }: WorkspaceModel): readonly string[] => [
  `create table ${schema}.rates (k int primary key, add bigint not null)`,
  `insert into ${schema}.rates select k, 0 from generate_series(0, 3) k`,
  `create table ${schema}.journal (what text)`,
  `create function ${schema}.adjusted(k int, v bigint) returns bigint language sql stable as
   $$ select v + r.add from ${schema}.rates r where r.k = adjusted.k $$`,
  `create function ${schema}.noted(what text) returns text language plpgsql as
   $$ begin insert into ${schema}.journal values (what); return what; end $$`,
  `create function ${schema}.adjust_row() returns trigger language plpgsql as
   $$ begin new.v := new.v + (select add from ${schema}.rates r where r.k = new.k); return new; end $$`,
  ...tasks.flatMap(({ table, extra }) =>
    extra === 'trigger'
      ? `create trigger adjust before insert on ${schema}.${table} for each row execute function ${schema}.adjust_row()`
      : extra === 'partition'
        ? [`create table ${schema}.parts_${table} (at date not null) partition by range (at)`]
        : [],
  ),
];

/** The value of a row as a task with its extra writes it. */
export function extraValue({ extra }: TaskModel, schema: string, key: string, value: string): string {
  if (extra === 'function') return `${schema}.adjusted(${key}, (${value})::bigint)`;
  if (extra === 'setting') return `${value} + coalesce(nullif(current_setting('backfill_test.add', true), '')::int, 0)`;
  return value;
}

/** The statements of a task with what its extra adds to them. */
export function extraStatements(
  { extra, name, table }: TaskModel,
  schema: string,
  statements: readonly string[],
): readonly string[] {
  const target = `${schema}.${table}`;
  switch (extra) {
    case 'index':
      return [...statements, `create index if not exists by_key_${name} on ${target} (k)`];
    case 'comment':
      return [...statements, `comment on table ${target} is 'filled for {{ ds }}'`];
    case 'side table':
      return [
        `create table if not exists ${schema}.side_${name} (at text primary key)`,
        `delete from ${schema}.side_${name} where at = '{{ ts }}'`,
        `insert into ${schema}.side_${name} values ('{{ ts }}')`,
        ...statements,
      ];
    case 'partition':
      return [
        ...statements,
        `create table if not exists ${schema}.parts_${table}_{{ macros.ds_add(ds, 1) | replace('-', '') }} partition of ${schema}.parts_${table} for values from ('{{ macros.ds_add(ds, 1) }}') to ('{{ macros.ds_add(ds, 2) }}')`,
      ];
    case 'hidden write':
      return [...statements, `select ${schema}.noted('{{ ts }}')`];
    case 'swap': {
      const fresh = `${target}_new`;
      const kept = statements.filter((one) => !/\b(?:delete from|truncate)\b/i.test(one));
      const fill = kept.map((one) => one.replaceAll(`insert into ${target} `, `insert into ${fresh} `));
      return [
        `drop table if exists ${fresh}`,
        `create table ${fresh} (like ${target} including all)`,
        ...fill,
        `drop table ${target}`,
        `alter table ${fresh} rename to ${table}`,
      ];
    }
    default:
      return statements;
  }
}
