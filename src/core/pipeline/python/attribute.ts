import type { SourceSpan } from '../../text/span.ts';
import type { Interpreter } from './interpreter.ts';
import { folderOf } from './module-path.ts';
import { baseName, stem } from './paths.ts';
import { derivedText } from './text-value.ts';
import type { Value } from './value.ts';
import { external, scalar, unknown } from './value.ts';

/** `value.name`. A name that is not known may be a method, so it is kept until it is called. */
export function attributeOf(value: Value, name: string, at: SourceSpan, run: Interpreter): Value {
  const method: Value = { kind: 'bound-method', self: value, name, at };
  switch (value.kind) {
    case 'external':
      return external(`${value.name}.${name}`);
    case 'module': {
      const own = value.frame.names.get(name);
      if (own !== undefined) return own;
      const folder = folderOf(value.frame.file);
      const isPackage = value.frame.file.endsWith('__init__.py');
      const submodule = isPackage ? run.module(`${folder}/${name}.py`) : undefined;
      return submodule === undefined
        ? unknown(`${name} is not defined in ${value.frame.file}`)
        : { kind: 'module', frame: submodule };
    }
    case 'class':
      return classAttribute(value, name) ?? method;
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

function classAttribute(value: Value & { kind: 'class' }, name: string, depth = 0): Value | undefined {
  const own = value.frame.names.get(name);
  if (own !== undefined || depth > 10) return own;
  for (const base of value.bases) {
    const inherited = base.kind === 'class' ? classAttribute(base, name, depth + 1) : undefined;
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

const parentOf = (path: string): string => {
  if (path === '' || path.endsWith('..')) return path === '' ? '..' : `${path}/..`;
  return folderOf(path);
};
