import { isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import { accessedTable } from '../../../lineage/tasks/access-facts.ts';
import type { Sourced } from '../../../pipeline/model/sourced.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { sameTable, type TaskView, tableKey } from '../../source/statement-view.ts';

/** A run whose input is missing publishes all the same, and a second run finds its slice done. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const rule = task.task.triggerRule;
    if (rule?.at === undefined || !lax.test(rule.value)) continue;
    const written = tablesFilled(task);
    const inputs = written.length === 0 ? [] : inputsOf(context, task);
    const [input] = inputs;
    if (input === undefined) continue;
    const fix = ruleFix(context, rule);
    yield {
      at: rule.at,
      message: `${rule.value} lets this task write ${written[0]} although "${input.task.name}" has failed, so what it publishes is made of a part of its input.`,
      subject: `${task.task.id} trigger rule`,
      related: inputs.map((one) => ({ message: `"${one.task.name}" may have failed`, at: one.task.nameAt })),
      fixes: fix ? [fix] : [],
    };
  }
}

/** Rules under which a task runs though one that it waits for has failed. */
const lax = /^(?:all_done|one_done|all_done_min_one_success|one_success|always|dummy)$/;

const fills = /^(?:insert|insert_overwrite|insert_replace_where|replace|merge|create_table_as|copy|load)$/;

/** Tables that it puts rows in to last: no record of the run, nothing that it only clears. */
function tablesFilled({ task, statements }: TaskView): readonly string[] {
  const bySql = statements
    .filter(({ statement }) => fills.test(statement.kind) && statement.copyDirection !== 'to')
    .flatMap((view) => view.statement.targets.map((target) => tableKey(view, target)));
  const otherwise = task.accesses.flatMap((access) =>
    access.direction === 'write' ? (accessedTable(access) ?? []) : [],
  );
  return [...bySql, ...otherwise].filter(
    (table) => !isJournalName(table) && !isStagingName(table) && !/cache/.test(table),
  );
}

/** Tasks right before it whose work it may need: not those of which it is known that it reads nothing. */
function inputsOf(context: LintContext, task: TaskView): readonly TaskView[] {
  const before = context.pipeline.edges.flatMap(({ kind, from, to }) =>
    kind === 'order' && to === task.task.id ? context.tasks.filter((one) => one.task.id === from) : [],
  );
  return before.filter((one) => {
    if (idle.test(one.task.operator) || one.task.decides !== undefined) return false;
    const facts = context.factsOf(one);
    const isKnown = (one.task.sql.length > 0 || one.task.accesses.length > 0) && one.task.unread.length === 0;
    if (facts === undefined || !isKnown || facts.writes.length === 0) return true;
    const read = context.factsOf(task)?.reads ?? [];
    return facts.writes.some((write) => read.some(({ table }) => sameTable(table, write.table)));
  });
}

/** What makes nothing that could be missing. */
const idle = /^(?:Empty|Dummy|Email|Slack\w*|TriggerDagRun)Operator$/;

/** Skipped tasks, which is what the rule is mostly meant for, are let through by `none_failed` as well. */
function ruleFix(context: LintContext, { value, at }: Sourced<string>): Fix | undefined {
  const text = at === undefined ? '' : textAt(context, at);
  const strict =
    value === 'one_success' || value === 'all_done_min_one_success' ? 'none_failed_min_one_success' : 'none_failed';
  const written = text.includes(value) ? [value, strict] : [value.toUpperCase(), strict.toUpperCase()];
  const [old = '', mended = ''] = written;
  const start = text.lastIndexOf(old);
  if (at === undefined || start < 0) return undefined;
  return {
    title: `Run only where nothing has failed: ${strict}`,
    edits: [{ file: at.file, start: at.start + start, end: at.start + start + old.length, newText: mended }],
    preferred: true,
  };
}

export default {
  id: 'all-done-on-write',
  severity: 'error',
  summary: 'A trigger rule that lets a task write although its input has failed',
  help: 'Use `none_failed`, which lets skipped tasks through but no failed ones; keep `all_done` for clearing up and for messages.',
  supersedes: [],
  check,
} satisfies Rule;
