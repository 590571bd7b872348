import type { TaskSql } from '../../../model/model.ts';
import { keyValue } from '../../../python/values/iterate.ts';
import { clocksOf } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { ClockSite, Value } from '../../../python/values/value.ts';
import { type DagBuilder, dagArgument, type TaskBuilder, taskArgument } from '../program/program.ts';

/** Parameters of a task whose default asks the clock when the file is parsed: `Param(default=pendulum.now())`. */
export function clockParams(task: TaskBuilder, dag: DagBuilder): ReadonlyMap<string, readonly ClockSite[]> {
  const found = new Map<string, readonly ClockSite[]>();
  for (const given of [dagArgument(dag, 'params')?.value, taskArgument(task, 'params')?.value]) {
    if (given?.kind !== 'dict') continue;
    for (const [key, { value }] of given.entries) {
      const name = plainText(keyValue(key));
      if (name === undefined) continue;
      const sites = clocksOf(defaultOf(value));
      if (sites.length > 0) found.set(name, sites);
      else found.delete(name);
    }
  }
  return found;
}

/** `Param(default)` stands for its default; what describes it does not count. */
function defaultOf(value: Value): Value {
  if (value.kind !== 'instance' || !/(?:^|\.)Param$/.test(value.type)) return value;
  return value.call.positional[0] ?? value.call.keywords.get('default')?.value ?? value;
}

/** SQL whose expressions of such parameters are known to be a reading of the clock. */
export function withClockParams(sql: TaskSql, params: ReadonlyMap<string, readonly ClockSite[]>): TaskSql {
  if (params.size === 0) return sql;
  const holes = sql.masked.holes.map((hole) => {
    const site = isParameter(hole.value) ? params.get(hole.value.name)?.[0] : undefined;
    return site === undefined ? hole : { ...hole, value: { kind: 'clock' as const, name: site.name } };
  });
  return { ...sql, masked: { ...sql.masked, holes } };
}

/** The clock calls that decide some SQL by way of a parameter. */
export const clocksThrough = (
  sql: TaskSql,
  params: ReadonlyMap<string, readonly ClockSite[]>,
): readonly ClockSite[] => {
  if (params.size === 0) return [];
  return [...params].flatMap(([name, sites]) =>
    sql.masked.holes.some(({ source }) => new RegExp(`^params\\b.*\\b${name}\\b`).test(source)) ? sites : [],
  );
};

const isParameter = (
  value: TaskSql['masked']['holes'][number]['value'],
): value is { readonly kind: 'parameter'; readonly source: 'params'; readonly name: string } & typeof value =>
  value.kind === 'parameter' && value.source === 'params';
