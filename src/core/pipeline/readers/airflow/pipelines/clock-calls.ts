import type { ClockCall, TaskSql } from '../../../model/model.ts';
import { clocksOf } from '../../../python/values/make-value.ts';
import type { ClockSite, Value } from '../../../python/values/value.ts';
import { sqlKeywords } from '../operators/sql-arguments.ts';
import { type DagBuilder, dagArgument, defaultArguments, type TaskBuilder } from '../program/program.ts';
import { clockParams, clocksThrough } from './clock-params.ts';

const order: readonly ClockCall['flowsInto'][] = ['sql', 'start-date', 'path', 'argument', 'none'];

const pathArgument = /path|key|prefix|object|file|uri|url|folder|dir|bucket|location|destination|source/i;

/** What each clock call of the file reaches; the strongest use counts, in the order of {@link order}. */
export function clockCallsOf(
  file: string,
  sites: readonly ClockSite[],
  dag: DagBuilder | undefined,
  tasks: readonly { readonly builder: TaskBuilder; readonly id: string; readonly sql: readonly TaskSql[] }[],
): ClockCall[] {
  const uses = new Map<ClockSite, Pick<ClockCall, 'flowsInto' | 'task'>>();
  const use = (value: Value | undefined, flowsInto: ClockCall['flowsInto'], task: string | undefined): void => {
    if (value !== undefined) for (const site of clocksOf(value)) note(site, flowsInto, task);
  };
  const note = (found: ClockSite, flowsInto: ClockCall['flowsInto'], task: string | undefined): void => {
    // A time to the second or finer makes a name unique; no slice is named so.
    if (found.printed !== undefined && (flowsInto === 'path' || flowsInto === 'argument')) return;
    const site = found.printed ?? found;
    const known = uses.get(site);
    if (known === undefined || order.indexOf(flowsInto) < order.indexOf(known.flowsInto))
      uses.set(site, { flowsInto, task });
  };
  for (const name of dag === undefined ? [] : ['start_date', 'end_date']) {
    use(dag && dagArgument(dag, name)?.value, 'start-date', undefined);
    use(defaultArguments(dag?.made)?.entries.get(name)?.value, 'start-date', undefined);
  }
  for (const { builder, id, sql } of tasks) {
    const params = dag === undefined ? new Map() : clockParams(builder, dag);
    const takesSql = sqlKeywords(builder.operator);
    for (const one of sql) for (const site of clocksThrough(one, params)) note(site, 'sql', id);
    for (const { name, value } of builder.made.keywords.values()) {
      if (takesSql.has(name)) use(value, 'sql', id);
      else if (/^(?:start|end)_date$/.test(name)) use(value, 'start-date', id);
      else use(value, pathArgument.test(name) ? 'path' : 'argument', id);
    }
    for (const { text } of builder.sent) use(text, 'sql', id);
    for (const { site, into } of builder.clockUses) note(site, into, id);
  }
  return sites
    .map((site) => ({
      at: site.at,
      name: site.name,
      ...(uses.get(site) ?? { flowsInto: 'none' as const, task: undefined }),
    }))
    .filter((call) => call.flowsInto !== 'none' || call.at.file === file);
}
