import type { SourceSpan } from '../../../text/span.ts';
import { emptyCall } from '../calls/call.ts';
import { bindMember, memberOf, memberOfBases } from '../calls/class-member.ts';
import { folderOf } from '../library/module-path.ts';
import { baseName, stem } from '../library/paths.ts';
import { dateOfExternal } from '../library/time-call.ts';
import { external, scalar, unknown } from '../values/make-value.ts';
import { derivedText } from '../values/text-value.ts';
import type { ClassValue, Interpreter, Value } from '../values/value.ts';

/** `value.name`. A name that is not known may be a method, so it is kept until it is called. */
export function attributeOf(value: Value, name: string, at: SourceSpan, run: Interpreter): Value {
  const method: Value = { kind: 'bound-method', self: value, name, at };
  switch (value.kind) {
    case 'external':
      return (
        namedConstant(`${value.name}.${name}`) ??
        run.host.externalValue?.(`${value.name}.${name}`, run) ??
        external(`${value.name}.${name}`)
      );
    case 'module': {
      const own = value.frame.names.get(name);
      if (own !== undefined) return own;
      const folder = folderOf(value.frame.file);
      const isPackage = value.frame.file.endsWith('__init__.py');
      const submodule = isPackage ? run.module(`${folder}/${name}.py`) : undefined;
      const lazy = submodule === undefined ? value.frame.names.get('__getattr__') : undefined;
      if (lazy !== undefined) return run.call(lazy, emptyCall(at, name, [derivedText(name)]));
      return submodule === undefined
        ? unknown(`${name} is not defined in ${value.frame.file}`)
        : { kind: 'module', frame: submodule };
    }
    case 'class': {
      const member = memberOf(value, name);
      return member === undefined ? method : bindMember(member, value, value);
    }
    case 'object': {
      const own = value.attributes.get(name);
      if (own !== undefined) return own;
      const member = memberOf(value.class, name);
      return member === undefined ? method : memberValue(member, value, value.class, at, run);
    }
    case 'super': {
      const member = memberOfBases(value.after, name);
      return member === undefined ? method : memberValue(member, value.object, value.after, at, run);
    }
    case 'instance':
      return value.attributes?.get(name) ?? method;
    case 'function':
      return name === '__name__' ? derivedText(value.name) : method;
    case 'text':
    case 'scalar':
      // A member of an enumeration is known by its value.
      return name === 'value' ? value : method;
    case 'host':
      return value.host.attribute?.(name, at, run) ?? method;
    case 'path':
      if (name === 'parent') return { kind: 'path', path: parentOf(value.path) };
      if (name === 'name') return derivedText(baseName(value.path));
      if (name === 'stem') return derivedText(stem(value.path));
      return method;
    case 'datetime': {
      const date = new Date(value.wall);
      if (name === 'year') return scalar(date.getUTCFullYear());
      if (name === 'month') return scalar(date.getUTCMonth() + 1);
      if (name === 'day') return scalar(date.getUTCDate());
      if (name === 'hour') return scalar(date.getUTCHours());
      return method;
    }
    default:
      return method;
  }
}

/** A member of a library that stands for a plain value. */
function namedConstant(name: string): Value | undefined {
  // Airflow's rules are texts; operators take the text as well.
  const rule = /^airflow\..*\bTriggerRule\.([A-Z_]+)$/.exec(name)?.[1];
  return rule === undefined ? dateOfExternal(name) : derivedText(rule.toLowerCase());
}

/** A property is what its function gives. */
function memberValue(member: Value, receiver: Value, owner: ClassValue, at: SourceSpan, run: Interpreter): Value {
  const bound = bindMember(member, receiver, owner);
  return bound.kind === 'function' && bound.binding === 'property' ? run.call(bound, emptyCall(at, bound.name)) : bound;
}

const parentOf = (path: string): string => {
  if (path === '' || path.endsWith('..')) return path === '' ? '..' : `${path}/..`;
  return folderOf(path);
};
