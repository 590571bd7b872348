import { isContextName, removedNames } from '../../../../template/names/time-names.ts';
import { escapePattern } from '../../../../text/escape-pattern.ts';
import type { SourceSpan } from '../../../../text/span.ts';
import { sourceOf, spanIn } from '../../../python/calls/frame.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { childOf, type SyntaxNode } from '../../../python/syntax/syntax-tree.ts';
import { contextTime } from '../../../python/values/time-symbol.ts';
import type { Callable } from '../program/program.ts';
import { hasTemplate } from '../templates/rendered-value.ts';

/**
 * Where the Python of a task takes the interval of its run: a parameter that Airflow fills by its name, or an entry of
 * the context. What functions that it calls take of the context is not looked for.
 */
export function timesTaken({
  function: target,
  call,
}: Callable): readonly { readonly name: string; readonly at: SourceSpan }[] {
  const { node, frame } = target;
  const text = (at: SyntaxNode): string => sourceOf(frame, at);
  // What the task gives itself under the name (`op_kwargs={"ds": "2024-01-01"}`) is not the run's.
  const filled = new Set(
    parametersOf(node, frame).flatMap(({ name }) => (isTime(name) && !call.keywords.has(name) ? [name] : [])),
  );
  const parameters = (childOf(node, 'parameters')?.children ?? []).flatMap((one) => {
    const name = /^\w+/.exec(text(one))?.[0] ?? '';
    return filled.has(name) ? [{ name, at: spanIn(frame, one) }] : [];
  });
  const entries = entriesOfContext(node, text).map(({ name, at }) => ({ name, at: spanIn(frame, at) }));
  return [...parameters, ...entries];
}

const isTime = (name: string): boolean => contextTime(name) !== undefined || removedNames.has(name);

/** `context["ds"]`, `kwargs.get("data_interval_start")`, `dag_run.logical_date`. */
function entriesOfContext(
  body: SyntaxNode,
  text: (node: SyntaxNode) => string,
): readonly { readonly name: string; readonly at: SyntaxNode }[] {
  const found: { readonly name: string; readonly at: SyntaxNode }[] = [];
  const open = [body];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'subscript' || node.type === 'call' || node.type === 'attribute') {
      const written = text(node);
      const entry = /^(?:[\w.]|\(\))*(?:\[\s*["'](\w+)["']\s*\]|\.(?:get|pop)\(\s*["'](\w+)["'][^()]*\))$/.exec(
        written,
      );
      const attribute = /(?:^|\W)(dag_run|ti|task_instance)(?:["']\])?\.(\w+)$/.exec(written)?.slice(1).join('.');
      const name = [entry?.[1], entry?.[2], attribute].find((one) => one !== undefined && isTime(one));
      if (name !== undefined) {
        found.push({ name, at: node });
        continue;
      }
    }
    open.push(...[...node.children].reverse());
  }
  return found;
}

/**
 * Whether a task's Python hands the context on: the dict that gathers what Airflow gives (`**kwargs`) or one that it asks
 * for is used otherwise than for a named entry, or its arguments hold templates.
 */
export function passesContext({ function: target, call }: Callable): boolean {
  const { node, frame } = target;
  // `fetch("{{ data_interval_start }}")`: what a function under @task is given is rendered before it runs.
  if ([...call.positional, ...[...call.keywords.values()].map(({ value }) => value)].some(hasTemplate)) return true;
  const all = sourceOf(frame, node);
  if (/\bget_current_context\s*\(/.test(all)) return true;
  const head = childOf(node, 'parameters');
  const body = head === undefined ? all : all.slice(sourceOf(frame, head).length + all.indexOf(sourceOf(frame, head)));
  const gathering = (head?.children ?? []).flatMap((one) => {
    const [, stars, name = ''] = /^(\**)(\w+)/.exec(sourceOf(frame, one)) ?? [];
    return stars === '**' || name === 'context' || (handedOn.has(name) && isContextName(name)) ? [name] : [];
  });
  return gathering.some((name) => {
    const entry = new RegExp(`\\b${escapePattern(name)}\\s*(?:\\[\\s*["']|\\.(?:get|pop)\\(\\s*["']|\\.\\w+)`, 'g');
    return new RegExp(`\\b${escapePattern(name)}\\b`).test(body.replace(entry, ''));
  });
}

/** Objects of the context that know the interval themselves. */
const handedOn: ReadonlySet<string> = new Set(['dag_run', 'ti', 'task_instance']);
