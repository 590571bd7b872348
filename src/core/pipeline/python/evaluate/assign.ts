import type { SourceSpan } from '../../../text/span.ts';
import { bindName, sourceOf, spanIn } from '../calls/frame.ts';
import { childOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { iterate } from '../values/iterate.ts';
import { isMadeToCall } from '../values/made-to-call.ts';
import { clocksOf, dictKey, listOf, unknown } from '../values/make-value.ts';
import { mergeValues } from '../values/merge.ts';
import type { DictEntry, Frame, Interpreter, Value } from '../values/value.ts';

/** Binds a target to a value: a name, a tuple of targets, an item of a dict or list. */
export function assign(target: SyntaxNode, value: Value, frame: Frame, run: Interpreter): void {
  switch (target.type) {
    case 'identifier':
      bindName(frame, sourceOf(frame, target), value, run);
      return;
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
    case 'tuple':
    case 'list':
    case 'expression_list':
      unpack(target.children, value, frame, run);
      return;
    case 'subscript': {
      const container = childOf(target, 'value');
      const key = childOf(target, 'subscript');
      if (container === undefined || key === undefined) return;
      const holder = run.evaluate(container, frame);
      const index = run.evaluate(key, frame);
      run.change(holder, () =>
        setItem(holder, index, { value, at: spanIn(frame, target), valueAt: spanIn(frame, target) }),
      );
      return;
    }
    case 'parenthesized_expression':
    case 'list_splat_pattern': {
      const [inner] = target.children;
      if (inner !== undefined) assign(inner, value, frame, run);
      return;
    }
    case 'attribute': {
      const object = childOf(target, 'object');
      const name = childOf(target, 'attribute');
      if (object === undefined || name === undefined) return;
      const holder = run.evaluate(object, frame);
      setAttribute(holder, sourceOf(frame, name), value, spanIn(frame, target), run);
      return;
    }
    default:
  }
}

function setAttribute(holder: Value, name: string, value: Value, at: SourceSpan, run: Interpreter): void {
  if (holder.kind === 'host') {
    holder.host.assign?.(name, value, at, run);
    return;
  }
  const certain = holder.kind !== 'object' || run.uncertainty <= holder.certainUnder;
  run.change(holder.kind === 'class' ? holder.frame : holder, () => {
    if (holder.kind === 'class') holder.frame.names.set(name, value);
    else if (holder.kind === 'instance') {
      holder.attributes ??= new Map();
      holder.attributes.set(name, value);
    } else if (holder.kind === 'object') {
      const before = holder.attributes.get(name);
      holder.version++;
      holder.attributes.set(name, before === undefined || certain ? value : mergeValues([before, value]));
    }
  });
}

function setItem(holder: Value, index: Value, entry: DictEntry): void {
  if (holder.kind === 'dict') {
    const name = dictKey(index);
    if (name !== undefined) holder.entries.set(name, entry);
    else {
      holder.open = true;
      if (isMadeToCall(entry.value)) holder.unnamed = [...(holder.unnamed ?? []), entry.value];
    }
  } else if (holder.kind === 'list') {
    if (index.kind === 'scalar' && typeof index.value === 'number' && index.value in holder.items)
      holder.items[index.value] = entry.value;
    else holder.open = true;
  }
}

function unpack(targets: readonly SyntaxNode[], value: Value, frame: Frame, run: Interpreter): void {
  const items = iterate(value);
  const splat = targets.findIndex((target) => target.type === 'list_splat_pattern');
  const fits =
    !items.open && (splat < 0 ? items.values.length === targets.length : items.values.length >= targets.length - 1);
  targets.forEach((target, index) => {
    if (!fits) {
      assign(target, unknown('part of a value that is not known', clocksOf(value)), frame, run);
      return;
    }
    const after = targets.length - 1 - index;
    const item =
      splat < 0 || index < splat
        ? items.values[index]
        : index === splat
          ? listOf(items.values.slice(splat, items.values.length - after))
          : items.values[items.values.length - 1 - after];
    assign(target, item ?? unknown('no such part'), frame, run);
  });
}
