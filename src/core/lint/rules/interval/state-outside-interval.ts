import type { VariableUse } from '../../../pipeline/model/model.ts';
import { filtersOf } from '../../../sql/model/sql-search.ts';
import type { Hole } from '../../../template/mask/masked-text.ts';
import { holesIn } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { placeOf, type TaskView } from '../../source/statement-view.ts';

/** A second run of an interval works on the range that the last run of any interval has left behind. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const bounding = [...boundsOf(context, task)];
    yield* bounding;
    if (bounding.length === 0) yield* cursors(task);
  }
}

/** Conditions of the task's SQL whose bound is what another run left; a clause that differs by it is one finding. */
function* boundsOf(context: LintContext, task: TaskView): Generator<RuleFinding> {
  for (const view of task.statements) {
    for (const { conjunct } of filtersOf(view.statement)) {
      const hole = holesIn(view, conjunct).find((one) => isState(context, one));
      if (hole === undefined) continue;
      yield {
        at: placeOf(view, conjunct),
        severity: 'error',
        message: `${hole.source} is what another run has left, not a bound of this run's interval, so a rerun of a past interval works on other rows.`,
        subject: `${task.task.id} state`,
        restsOn: [view],
      };
    }
  }
}

/** Where the last success began or ended, a value that some earlier run pushed, a Variable that a task moves on. */
function isState(context: LintContext, { value, source }: Hole): boolean {
  if (value.kind === 'state')
    return /^prev_\w+_success$/.test(value.name) || /\binclude_prior_dates\s*=\s*True\b/.test(source);
  return value.kind === 'parameter' && value.source === 'var' && context.setsVariable(value.name);
}

/** A Variable that a task reads to know from where to go on, and moves on afterwards. */
function* cursors({ task }: TaskView): Generator<RuleFinding> {
  const uses = task.variables ?? [];
  const read = uses.find(
    (use) =>
      use.does === 'get' && isCursor(use) && uses.some((other) => other.does === 'set' && other.name === use.name),
  );
  if (read === undefined) return;
  yield {
    at: read.at,
    severity: 'warning',
    message: `From where this task reads is kept in the Variable ${read.name}, which every run moves on: a past interval cannot be run again, and a run that fails between its write and Variable.set reads the same rows once more.`,
    subject: `${task.id} state`,
    related: uses
      .filter((use) => use.does === 'set' && use.name === read.name)
      .map(({ at }) => ({ message: 'moved on here', at })),
  };
}

/** A place to go on from rather than a switch or a setting. */
const isCursor = ({ name }: VariableUse): boolean =>
  /cursor|since|last|latest|max|from|until|start|watermark|hwm|high_?water|high_?mark|offset|checkpoint|bookmark|position|sync|timestamp|(?:^|_)(?:ts|date|time)(?:_|$)/i.test(
    name,
  ) &&
  !/(?:^|_)(?:status|state|lock|flag|enabled|count|error|result|alerts?|alerted|notified|notifications?|e?mails?|mailed|warned|warnings?|reported|sent|throttle)(?:_|$)/i.test(
    name,
  );

export default {
  id: 'state-outside-interval',
  severity: 'error',
  summary: 'A range that comes from what another run left: a Variable, the last success, an older XCom',
  help: 'Take the range from the data interval: `{{ data_interval_start }}`, `{{ data_interval_end }}`.',
  supersedes: [],
  check,
} satisfies Rule;
