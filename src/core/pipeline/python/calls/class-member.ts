import type { ClassValue, FunctionValue, Value } from '../values/value.ts';

/** A name of a class: its own, else that of the first base that has it. */
export function memberOf(owner: ClassValue, name: string, depth = 0): Value | undefined {
  const own = owner.frame.names.get(name);
  return own ?? memberOfBases(owner, name, depth);
}

/** As {@link memberOf}, past the class's own names: what `super()` reaches. */
export function memberOfBases(owner: ClassValue, name: string, depth = 0): Value | undefined {
  if (depth > 10) return undefined;
  for (const base of owner.bases) {
    const inherited = base.kind === 'class' ? memberOf(base, name, depth + 1) : undefined;
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

/** The first base from outside the workspace that a class builds on, fully qualified. */
export function externalBase(owner: ClassValue, depth = 0): string | undefined {
  for (const base of owner.bases) {
    if (base.kind === 'external') return base.name;
    const inherited = base.kind === 'class' && depth < 10 ? externalBase(base, depth + 1) : undefined;
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

/** A method with its receiver as the first argument; everything else of a class is given as it is. */
export function bindMember(member: Value, receiver: Value, owner: ClassValue): Value {
  if (member.kind !== 'function' || member.binding === 'static' || member.bound !== undefined) return member;
  if (member.binding === 'class') return withReceiver(member, owner);
  return receiver.kind === 'class' ? member : withReceiver(member, receiver);
}

function withReceiver(member: FunctionValue, receiver: Value): FunctionValue {
  const at = { file: member.frame.file, start: member.node.start, end: member.node.start };
  return { ...member, bound: { positional: [receiver], positionalAt: [at], keywords: new Map() } };
}
