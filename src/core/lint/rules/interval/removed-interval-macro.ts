import { removedNames, timeNames } from '../../../template/names/time-names.ts';
import { escapePattern } from '../../../text/escape-pattern.ts';
import { locate } from '../../../text/mapped-text.ts';
import type { SourceSpan, TextEdit } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import type { TaskView } from '../../source/statement-view.ts';

/** Under Airflow 3 the task fails, a rerun of an interval that ran well under Airflow 2 as well. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { pipeline } = context;
  const isGone = pipeline.airflowVersion === 3;
  for (const task of context.tasks) {
    const uses = usesOf(context, task);
    const [first, ...others] = uses;
    if (first === undefined) continue;
    const fix = currentNames(context, uses);
    const instead = currentOf(context, first.name);
    yield {
      at: first.at,
      severity: isGone ? 'error' : 'warning',
      message: `${first.name} ${isGone ? 'is not there in Airflow 3, so the task fails' : 'is deprecated in Airflow 2 and gone in Airflow 3, where the task fails'}${instead === undefined ? '' : `: write ${instead}`}.`,
      subject: `${task.task.id} removed names`,
      related: others.map(({ at }) => ({ message: 'such a name again', at })),
      fixes: fix ? [fix] : [],
    };
  }
}

/** A name that Airflow 3 has no more. */
interface Use {
  readonly name: string;
  /** The template expression, or the piece of Python. */
  readonly at: SourceSpan;
  readonly inPython: boolean;
}

const names = [...removedNames]
  .sort((a, b) => b.length - a.length)
  .map(escapePattern)
  .join('|');
/** As a name of its own: no attribute of something else, no text in quotes, no keyword. */
const removed = new RegExp(String.raw`(?<![\w."'])(?:${names})(?!\w|["']|\s*=(?!=))`, 'g');
const template = /\{\{(?:(?!\}\}).)*?\}\}/gs;

function usesOf(context: LintContext, { task }: TaskView): readonly Use[] {
  const inSql = task.sql.flatMap(({ masked, source }) =>
    masked.holes.flatMap((hole): readonly Use[] => {
      const name = nameIn(hole.source);
      const at = name === undefined || hole.origin !== 'template' ? undefined : locate(source, hole);
      return name === undefined || at === undefined ? [] : [{ name, at, inPython: false }];
    }),
  );
  const inArguments = task.arguments.flatMap(({ valueAt }) =>
    templatesOf(textAt(context, valueAt)).flatMap((match): readonly Use[] => {
      const name = nameIn(match[0]);
      const start = valueAt.start + match.index;
      return name === undefined
        ? []
        : [{ name, at: { file: valueAt.file, start, end: start + match[0].length }, inPython: false }];
    }),
  );
  const inPython = (task.timesTaken ?? [])
    .filter(({ name, at }) => removedNames.has(name) && isOfContext(textAt(context, at)))
    .map(({ name, at }) => ({ name, at, inPython: true }));
  const known = new Set<string>();
  return [...inSql, ...inArguments, ...inPython]
    .filter(({ at }) => {
      const key = `${at.file} ${at.start}`;
      return !known.has(key) && known.add(key);
    })
    .sort((a, b) => (a.at.file === b.at.file ? a.at.start - b.at.start : 0));
}

const nameIn = (source: string): string | undefined => (hint.test(source) ? source.match(removed)?.[0] : undefined);

const templatesOf = (text: string): readonly RegExpExecArray[] => (hint.test(text) ? [...text.matchAll(template)] : []);

/** In each of the names; most texts have none, and are not looked at more closely. */
const hint = /execution_date|(?:next|prev|yesterday|tomorrow)_ds/;

/** A parameter of the callable, or an entry of what Airflow gives it; of another dict nobody knows who named its entries. */
const isOfContext = (text: string): boolean =>
  /^\w+\s*(?:[:=]|$)/.test(text) ||
  /^\w*(?:kwargs|context|ctx)\w*\s*(?:\[|\.)/i.test(text) ||
  /^get_current_context\(/.test(text) ||
  /(?:^|\W)(?:dag_run|ti|task_instance)(?:["']\])?\.execution_date$/.test(text);

/** What Airflow 2 and 3 have for a removed name; `undefined` where that depends on the runs. */
function currentOf({ pipeline }: LintContext, name: string): string | undefined {
  const { value } = pipeline.schedule;
  const known = timeNames[name];
  if (/\.execution_date$/.test(name)) return name.startsWith('dag_run') ? 'dag_run.logical_date' : undefined;
  if (known === undefined) return undefined;
  if (known.needsNextTick) {
    // The end of an interval is the next tick only where the intervals reach from tick to tick.
    if ((value.kind !== 'cron' && value.kind !== 'delta') || value.intervals !== 'tick-to-tick') return undefined;
  }
  const day = known.form === 'basic-date' ? ' | ds_nodash' : ' | ds';
  if (known.type === 'object') return known.anchor === 'end' ? 'data_interval_end' : 'logical_date';
  if (known.days === 0) return `data_interval_end${day}`;
  const sign = known.days < 0 ? '-' : '+';
  return known.form === 'basic-date'
    ? `(logical_date ${sign} macros.timedelta(days=1))${day}`
    : `macros.ds_add(ds, ${known.days})`;
}

/** Imports that only Airflow 1 needs: its last versions know none of the new names. */
const oldImports =
  /\bairflow\.(?:contrib\b|(?:operators|hooks|sensors)\.\w+_(?:operator|hook|sensor)s?\b|utils\.apply_defaults)/;

/** The current name wherever the task has a removed one; only where all of them have one. */
function currentNames(context: LintContext, uses: readonly Use[]): Fix | undefined {
  if (oldImports.test(context.text(context.pipeline.file) ?? '')) return undefined;
  const edits: TextEdit[] = [];
  for (const { at, inPython } of uses) {
    const text = textAt(context, at);
    for (const match of text.matchAll(inPython ? quoted : removed)) {
      const name = match[0];
      const current = currentOf(context, name);
      if (current === undefined || (inPython && current !== 'logical_date' && current !== 'data_interval_end'))
        return undefined;
      const isAlone =
        /^\{\{[-\s]*$/.test(text.slice(0, match.index)) &&
        /^\s*(?:-?\}\}|\|)/.test(text.slice(match.index + name.length));
      const newText = isAlone || /^[\w.]+(?:\(ds, -?1\))?$/.test(current) ? current : `(${current})`;
      const start = at.start + match.index;
      edits.push({ file: at.file, start, end: start + name.length, newText });
    }
    // A parameter has its name from Airflow, and its uses all over the function.
    if (inPython && !/["']/.test(text)) return undefined;
  }
  return edits.length === 0 ? undefined : { title: 'Use the current names', edits, preferred: true };
}

const quoted = new RegExp(`(?<=["'])(?:${names})(?=["'])`, 'g');

export default {
  id: 'removed-interval-macro',
  severity: 'warning',
  summary: 'A name of the interval that Airflow 3 has no more',
  help: 'Write `logical_date`, `data_interval_start` and `data_interval_end`; the day before is `macros.ds_add(ds, -1)`.',
  supersedes: [],
  check,
} satisfies Rule;
