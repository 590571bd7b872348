import type { SourceSpan } from '../../../../text/span.ts';
import { sourceOf, spanIn } from '../../../python/calls/frame.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { childOf, type SyntaxNode } from '../../../python/syntax/syntax-tree.ts';
import { contextTime } from '../../../python/values/time-symbol.ts';
import type { Callable } from '../program/program.ts';

/**
 * Where the Python of a task takes the interval of its run: a parameter that Airflow fills by its name, or an entry of
 * the context. What functions that it calls take of the context is not looked for.
 */
export function intervalTaken({ function: target, call }: Callable): SourceSpan | undefined {
  const { node, frame } = target;
  // What the task gives itself under the name (`op_kwargs={"ds": "2024-01-01"}`) is not the run's.
  const isFilled = ({ name }: { readonly name: string }): boolean =>
    contextTime(name) !== undefined && !call.keywords.has(name);
  const parameter = parametersOf(node, frame).find(isFilled);
  const parameters = childOf(node, 'parameters')?.children ?? [];
  const named = parameters.find(
    (one) => parameter !== undefined && startsWithName(sourceOf(frame, one), parameter.name),
  );
  const found = named ?? entryOfContext(node, (at) => sourceOf(frame, at));
  return found && spanIn(frame, found);
}

const startsWithName = (text: string, name: string): boolean => new RegExp(`^${name}\\b`).test(text);

/** `context["ds"]`, `kwargs.get("data_interval_start")`, `dag_run.logical_date`. */
function entryOfContext(body: SyntaxNode, text: (node: SyntaxNode) => string): SyntaxNode | undefined {
  const open = [body];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'subscript' || node.type === 'call' || node.type === 'attribute') {
      const name =
        /^[\w.()]*(?:\[|\.(?:get|pop)\()\s*["'](\w+)["']/.exec(text(node))?.[1] ??
        /(?:^|\W)(dag_run\.\w+)$/.exec(text(node))?.[1];
      if (name !== undefined && contextTime(name) !== undefined) return node;
    }
    open.push(...[...node.children].reverse());
  }
  return undefined;
}
