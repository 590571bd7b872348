import { parametersOf } from '../../../python/evaluate/parameters.ts';
import type { Call, Interpreter, Value } from '../../../python/values/value.ts';
import { noteUnread, reasonFor } from '../callables/note-unread.ts';
import { sendTexts } from '../callables/sent-sql.ts';
import type { Callable, Program, TaskBuilder } from '../program/program.ts';
import { programOf } from '../program/program-of.ts';
import { hasTemplate, renderedValue } from '../templates/rendered-value.ts';
import { contextObject, contextParameter } from './context-values.ts';
import { renderFields } from './workspace-operators.ts';

/** Follows the Python of every task once, with the interval's names as symbols, and notes what it reads and writes. */
export function followCallables(program: Program, run: Interpreter): void {
  for (const task of program.tasks) {
    program.running = task;
    if (task.callable === undefined) sayUnknownCallable(program, task);
    else {
      const { callable } = task;
      run.path = [];
      run.rememberingCalls(() => follow(task, callable, run));
      run.path = [];
    }
    if (run.exhausted)
      noteUnread(
        program,
        'code',
        'the file is too large to follow, so its Python was not read to the end',
        task.nameAt,
      );
    program.running = undefined;
  }
}

function follow(task: TaskBuilder, { function: target, call, object }: Callable, run: Interpreter): void {
  if (object !== undefined) {
    renderFields(task, object, run);
    task.returned = run.callFunction(target, call);
    return;
  }
  const given = rendered(call);
  const own = new Map([...given.keywords].map(([name, { value }]) => [name, value]));
  const templates = task.made.keywords.get('templates_dict');
  if (templates !== undefined) own.set('templates_dict', renderedValue(templates.value));
  task.rendersTexts = [...given.positional, ...own.values()].some(hasTemplate);
  const preset = new Map<string, Value>([...own, ['**', contextObject(own)]]);
  for (const { name } of parametersOf(target.node, target.frame)) {
    const value = contextParameter(name) ?? (/^_*context$/.test(name) ? contextObject(own) : undefined);
    if (value !== undefined && !own.has(name)) preset.set(name, value);
  }
  task.returned = run.callFunction(target, given, preset);
  if (task.operator === '@task.sql') sendReturned(task, task.returned, run);
}

/** What a function under `@task.sql` returns is what its operator sends. */
function sendReturned(task: TaskBuilder, value: Value, run: Interpreter): void {
  task.rendersTexts = true;
  const client = { type: 'airflow.providers.common.sql.hooks.sql.DbApiHook', opened: { ...task.made, positional: [] } };
  const call = { ...task.made, callee: task.operator, at: task.nameAt };
  const given = { name: 'sql', at: task.nameAt, valueAt: task.nameAt, value };
  sendTexts(programOf(run), given, client, call, { name: 'get_records', last: 'get_records', parameters: undefined });
}

const touchesNoTable = /^(?:builtins|shutil|os|pathlib|time|datetime|logging|json|random)\./;

/** A `python_callable` that is no function of the workspace. */
function sayUnknownCallable(program: Program, task: TaskBuilder): void {
  const given = task.made.keywords.get('python_callable');
  if (given === undefined || given.value.kind === 'function') return;
  if (given.value.kind === 'external' && touchesNoTable.test(given.value.name)) return;
  const reason = reasonFor(given.value, 'its function is not known before the file runs');
  noteUnread(program, 'code', `what its python_callable does is not known: ${reason}`, given.valueAt);
}

/** Arguments are templates: one that is a single expression arrives as its value. */
function rendered(call: Call): Call {
  return {
    ...call,
    positional: call.positional.map(renderedValue),
    keywords: new Map(
      [...call.keywords].map(([name, keyword]) => [name, { ...keyword, value: renderedValue(keyword.value) }]),
    ),
  };
}
