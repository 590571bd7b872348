import type { Call, Frame, Value } from './values/value.ts';

/** What the names of a module hold. */
export interface FrameContents {
  /** Other modules whose values are among them. */
  readonly frames: ReadonlySet<Frame>;
  /** Everything of this module that a statement can change. */
  readonly holders: readonly object[];
  /** Something among them belongs to the file that imports the module: a task, a DAG. */
  readonly isBound: boolean;
}

export function frameContents(module: Frame): FrameContents {
  const frames = new Set<Frame>();
  const holders: object[] = [];
  const seen = new Set<object>();
  const open: Value[] = [];
  let isBound = false;

  const visitFrame = (frame: Frame): void => {
    for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
      if (at.module !== module) {
        frames.add(at.module);
        return;
      }
      if (seen.has(at)) continue;
      seen.add(at);
      holders.push(at);
      open.push(...at.names.values(), ...(at.returned ?? []), ...(at.yielded?.values ?? []));
      if (at.method !== undefined) open.push(at.method.receiver);
    }
  };
  const visitCall = (call: Pick<Call, 'positional' | 'keywords'> | undefined): void => {
    if (call === undefined) return;
    open.push(...call.positional);
    for (const { value } of call.keywords.values()) open.push(value);
  };
  const visit = (value: Value): void => {
    if (seen.has(value)) return;
    seen.add(value);
    switch (value.kind) {
      case 'list':
        holders.push(value);
        open.push(...value.items);
        return;
      case 'dict':
        holders.push(value);
        for (const entry of value.entries.values()) open.push(entry.value);
        return;
      case 'function':
        visitFrame(value.frame);
        open.push(...value.defaults.values());
        visitCall(value.bound);
        if (value.owner !== undefined) open.push(value.owner);
        return;
      case 'class':
        visitFrame(value.frame);
        open.push(...value.bases);
        return;
      case 'object':
        holders.push(value);
        open.push(value.class, ...value.attributes.values());
        visitCall(value.made);
        visitCall(value.base);
        return;
      case 'instance':
        holders.push(value);
        open.push(...(value.attributes?.values() ?? []));
        visitCall(value.call);
        return;
      case 'super':
        open.push(value.object, value.after);
        return;
      case 'bound-method':
        open.push(value.self);
        return;
      case 'module':
        visitFrame(value.frame);
        return;
      case 'host':
        isBound ||= value.host.isFree !== true;
        for (const inner of value.host.holds ?? []) open.push(inner);
        return;
      case 'unknown':
        open.push(...(value.options ?? []));
        return;
      default:
    }
  };
  visitFrame(module);
  for (let value = open.pop(); value !== undefined; value = open.pop()) visit(value);
  return { frames, holders, isBound };
}
