import { argument } from '../calls/call.ts';
import { formatted } from '../values/interpolate.ts';
import { iterate } from '../values/iterate.ts';
import { clocksOf, external, listOf, none, scalar, truthOf, unionOfClocks, unknown } from '../values/make-value.ts';
import { clocksInText } from '../values/printed-clocks.ts';
import { derivedText, plainText } from '../values/text-value.ts';
import type { Call, ClassValue, Frame, Interpreter, Value } from '../values/value.ts';
import { copied } from './copied.ts';
import { isInstance } from './is-instance.ts';
import { contentOf, readWorkspaceFile } from './method-call.ts';
import { folderOf } from './module-path.ts';
import { baseName, joinWorkspacePath, normalPath, unknownRoot } from './paths.ts';
import { parsedValue } from './plain-data.ts';
import { dedent } from './text-methods.ts';
import { timeCall } from './time-call.ts';

/** The functions that are there without an import, as far as a pipeline file's meaning depends on them. */
export const builtinNames: ReadonlySet<string> = new Set(
  (
    'str int float bool len list tuple set frozenset dict range enumerate zip sorted reversed open print isinstance ' +
    'getattr hasattr setattr min max sum any all map filter repr type super format object globals locals vars iter ' +
    'exec eval next abs round bytes staticmethod classmethod property id hash callable input Exception ValueError KeyError ' +
    'RuntimeError TypeError NotImplementedError ImportError ModuleNotFoundError StopIteration FileNotFoundError'
  ).split(' '),
);

type Builtin = (call: Call, run: Interpreter) => Value | undefined;

const items = (value: Value | undefined): Value => (value === undefined ? listOf([]) : fromIteration(value));

function fromIteration(value: Value, tuple = false): Value {
  const { values, open } = iterate(value);
  return open && values.length === 0 ? unknown('not known', clocksOf(value)) : listOf([...values], tuple, open);
}

const builtins: Readonly<Record<string, Builtin>> = {
  'builtins.str': (call) => textOf(call.positional[0], call),
  'builtins.int': (call) => {
    const [value] = call.positional;
    const number = value?.kind === 'scalar' ? Number(value.value) : Number(plainText(value) ?? Number.NaN);
    return Number.isFinite(number) ? scalar(Math.trunc(number)) : value?.kind === 'symbol' ? value : undefined;
  },
  'builtins.float': ({ positional: [value] }) => (value?.kind === 'scalar' ? scalar(Number(value.value)) : undefined),
  'builtins.bool': ({ positional: [value] }) => {
    const truth = value === undefined ? false : truthOf(value);
    return truth === undefined ? undefined : scalar(truth);
  },
  'builtins.len': ({ positional: [value] }) => {
    if (value?.kind === 'list' && !value.open) return scalar(value.items.length);
    if (value?.kind === 'dict' && !value.open) return scalar(value.entries.size);
    return value?.kind === 'text' && value.holes.length === 0 ? scalar(value.mapped.text.length) : undefined;
  },
  'builtins.list': ({ positional: [value] }) => items(value),
  'builtins.set': ({ positional: [value] }) => items(value),
  'builtins.tuple': ({ positional: [value] }) => (value === undefined ? listOf([], true) : fromIteration(value, true)),
  'builtins.reversed': ({ positional: [value] }) =>
    value?.kind === 'list' ? listOf([...value.items].reverse(), false, value.open) : undefined,
  'builtins.sorted': (call) => {
    const [value] = call.positional;
    if (value === undefined || call.keywords.size > 0) return value && items(value);
    const sorted = items(value);
    if (sorted.kind !== 'list') return sorted;
    const keys = sorted.items.map((item) => plainText(item) ?? (item.kind === 'scalar' ? item.value : undefined));
    if (!keys.every((key) => typeof key === 'string') && !keys.every((key) => typeof key === 'number')) return sorted;
    const order = keys.map((_, index) => index).sort((a, b) => ((keys[a] ?? '') < (keys[b] ?? '') ? -1 : 1));
    return listOf(
      order.flatMap((index) => sorted.items[index] ?? []),
      false,
      sorted.open,
    );
  },
  'builtins.dict': (call) => {
    const [base] = call.positional;
    if (base !== undefined && base.kind !== 'dict') return undefined;
    const entries = new Map(base?.entries);
    for (const keyword of call.keywords.values()) entries.set(keyword.name, keyword);
    return { kind: 'dict', entries, open: call.open || (base?.open ?? false) };
  },
  'builtins.range': (call) => {
    const numbers = call.positional.map((value) => (value.kind === 'scalar' ? value.value : undefined));
    if (numbers.some((value) => typeof value !== 'number')) return undefined;
    const [a = 0, b, step = 1] = numbers as number[];
    const [from, to] = b === undefined ? [0, a] : [a, b];
    if (step === 0 || Math.abs((to - from) / step) > 2000) return undefined;
    const values: Value[] = [];
    for (let at = from; step > 0 ? at < to : at > to; at += step) values.push(scalar(at));
    return listOf(values);
  },
  'builtins.enumerate': (call) => {
    const [value] = call.positional;
    const start = argument(call, 'start', 1)?.value;
    const from = start?.kind === 'scalar' ? Number(start.value) : 0;
    const { values, open } = value === undefined ? { values: [], open: true } : iterate(value);
    return open ? undefined : listOf(values.map((item, index) => listOf([scalar(from + index), item], true)));
  },
  'builtins.zip': (call) => {
    const all = call.positional.map(iterate);
    if (all.some(({ open }) => open) || call.open) return undefined;
    const length = Math.min(...all.map(({ values }) => values.length));
    return listOf(
      Array.from({ length: Number.isFinite(length) ? length : 0 }, (_, index) =>
        listOf(
          all.map(({ values }) => values[index] ?? none),
          true,
        ),
      ),
    );
  },
  'builtins.open': (call) => readWorkspaceFile(pathOf(call.positional[0]), call),
  'builtins.type': madeClass,
  'builtins.print': () => none,
  // Objects of the scheduler have what a file asks them for.
  'builtins.hasattr': ({ positional: [value] }) => (value?.kind === 'host' ? scalar(true) : undefined),
  'textwrap.dedent': ({ positional: [value] }) => (value?.kind === 'text' ? dedent(value) : undefined),
  'os.path.join': (call) => {
    const parts = call.positional.map(pathOf);
    const [first = unknownRoot, ...rest] = parts;
    if (call.open || rest.length === 0 || rest.some((part) => part === undefined)) return undefined;
    const anchored = first === unknownRoot || call.positional.some((part) => part.kind === 'path');
    const joined = (rest as string[]).reduce(joinWorkspacePath, first);
    return anchored ? { kind: 'path', path: joined } : derivedText(joined, call.at);
  },
  'os.path.dirname': ({ positional: [value], at }) =>
    sameKind(value, (path) => (path === '' ? '..' : folderOf(path)), at),
  'os.path.basename': ({ positional: [value], at }) => {
    const path = pathOf(value);
    return path === undefined ? undefined : derivedText(baseName(path), at);
  },
  'os.path.splitext': ({ positional: [value], at }) => {
    const path = pathOf(value);
    if (path === undefined) return undefined;
    const extension = /(?<=[^/])\.[^./]*$/.exec(path)?.[0] ?? '';
    const root = path.slice(0, path.length - extension.length);
    return listOf(
      [value?.kind === 'path' ? { kind: 'path', path: root } : derivedText(root, at), derivedText(extension, at)],
      true,
    );
  },
  'os.path.abspath': ({ positional: [value], at }) => sameKind(value, normalPath, at),
  'os.path.realpath': ({ positional: [value], at }) => sameKind(value, normalPath, at),
  'os.path.normpath': ({ positional: [value], at }) => sameKind(value, normalPath, at),
  'os.getenv': environmentOf,
  'os.environ.get': environmentOf,
  'os.getcwd': () => ({ kind: 'path', path: '' }),
  'pathlib.Path.cwd': () => ({ kind: 'path', path: '' }),
  'pathlib.Path': path,
  'pathlib.PurePath': path,
  'importlib.import_module': (call, run) => {
    const name = plainText(call.positional[0]);
    const module = name === undefined ? undefined : run.importModule(name, call.at.file);
    if (module !== undefined) return { kind: 'module', frame: module };
    return name === undefined || name.startsWith('.') ? undefined : external(name);
  },
  'sys.path.append': ({ positional: [folder] }, run) => addPath(folder, false, run),
  'sys.path.insert': ({ positional: [place, folder] }, run) =>
    addPath(folder, place?.kind === 'scalar' && place.value === 0, run),
  'site.addsitedir': ({ positional: [folder] }, run) => addPath(folder, false, run),
  'functools.partial': (call) => {
    const [target, ...positional] = call.positional;
    if (target?.kind !== 'function' || call.open) return undefined;
    const { bound } = target;
    return {
      ...target,
      bound: {
        positional: [...(bound?.positional ?? []), ...positional],
        positionalAt: [...(bound?.positionalAt ?? []), ...call.positionalAt.slice(1)],
        keywords: new Map([...(bound?.keywords ?? []), ...call.keywords]),
      },
    };
  },
  'json.loads': ({ positional: [value] }) => parsedValue(value, JSON.parse),
  'json.load': ({ positional: [value] }, run) => parsedValue(contentOf(value, run), JSON.parse),
  'yaml.safe_load': yaml,
  'yaml.full_load': yaml,
  'yaml.load': yaml,
  'typing.cast': ({ positional: [, value] }) => value,
  'copy.deepcopy': ({ positional: [value] }, run) => value && copied(value, run, true),
  'copy.copy': ({ positional: [value] }, run) => value && copied(value, run, false),
  'builtins.isinstance': ({ positional: [value, kind] }) => {
    const known = value === undefined || kind === undefined ? undefined : isInstance(value, kind);
    return known === undefined ? undefined : scalar(known);
  },
};

/** `type("Name", (Base,), {…})`: a class as its statement would make it. */
function madeClass(call: Call, run: Interpreter): Value | undefined {
  const [name, bases, members] = call.positional;
  const module = run.module(call.at.file);
  const text = plainText(name);
  if (text === undefined || module === undefined || bases?.kind !== 'list' || bases.open) return undefined;
  if (members?.kind !== 'dict') return undefined;
  const inner: { -readonly [key in keyof Frame]: Frame[key] } = {
    ...module,
    module,
    names: new Map([...members.entries].map(([key, entry]) => [key, entry.value])),
    parent: module,
    returned: undefined,
  };
  const value: ClassValue = { kind: 'class', name: text, bases: [...bases.items], frame: inner, fields: [] };
  inner.classBody = value;
  return value;
}

/** A folder of the machine's is none of the workspace. */
function addPath(folder: Value | undefined, isFirst: boolean, run: Interpreter): Value {
  if (folder?.kind === 'path' && !folder.path.startsWith(unknownRoot)) run.addPath(normalPath(folder.path), isFirst);
  return none;
}

function yaml({ positional: [value] }: Call, run: Interpreter): Value | undefined {
  return run.parseYaml && parsedValue(value?.kind === 'text' ? value : contentOf(value, run), run.parseYaml);
}

function path(call: Call): Value | undefined {
  const [first = unknownRoot, ...rest] = call.positional.map(pathOf);
  if (rest.some((part) => part === undefined)) return undefined;
  return { kind: 'path', path: normalPath((rest as string[]).reduce(joinWorkspacePath, first)) };
}

const sameKind = (value: Value | undefined, change: (path: string) => string, at: Call['at']): Value | undefined => {
  const path = pathOf(value);
  if (path === undefined) return undefined;
  const isPath = value?.kind === 'path' || path.startsWith(`${unknownRoot}/`);
  return isPath ? { kind: 'path', path: change(path) } : derivedText(change(path), at);
};

export const pathOf = (value: Value | undefined): string | undefined =>
  value?.kind === 'path' ? value.path : (plainText(value) ?? tailOf(value));

/** `f"{os.environ['HOME_OF_DAGS']}/sql/a.sql"`: only the head of the path is not known. */
function tailOf(value: Value | undefined): string | undefined {
  if (value?.kind !== 'text') return undefined;
  const [head, ...others] = value.holes;
  const rest = head?.start === 0 && others.length === 0 ? value.mapped.text.slice(head.end) : '';
  return /^\/[^/]/.test(rest) ? unknownRoot + rest : undefined;
}

/** An environment variable is fixed for a run, but not known here. */
export function environment(key: Value | undefined): Value {
  const name = plainText(key);
  return { kind: 'symbol', symbol: { kind: 'parameter', source: 'env', name: name ?? 'a variable' } };
}

/** `os.getenv("A", "b")`: what is said of the variable, and else its own fallback only as what it may be. */
function environmentOf(call: Call, run: Interpreter): Value {
  const key = argument(call, 'key', 0)?.value;
  const value = (key && run.host.externalItem('os.environ', key, run)) ?? environment(key);
  const fallback = plainText(argument(call, 'default', 1)?.value);
  if (value.kind !== 'symbol' || value.symbol.kind !== 'parameter' || fallback === undefined) return value;
  return { ...value, symbol: { ...value.symbol, fallback } };
}

function textOf(value: Value | undefined, call: Call): Value | undefined {
  if (value === undefined || value.kind === 'text') return value;
  if (value.kind === 'symbol' || value.kind === 'path') return value;
  const known = formatted(value, '', '');
  return known === undefined ? undefined : derivedText(known, call.at);
}

/** The result of a call of a name from outside the workspace whose meaning is known; `undefined` for all others. */
export function builtinCall(name: string, call: Call, run: Interpreter): Value | undefined {
  const time = timeCall(name, call, run);
  if (time !== undefined) return time;
  const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
  const known = builtin?.(call, run);
  if (known !== undefined) return known;
  // What they run is for the reader to say.
  if (/^(?:builtins\.(?:exec|eval)|importlib\.import_module)$/.test(name)) return undefined;
  const [only] = call.positional;
  if (name === 'builtins.str' && only?.kind === 'unknown') return unknown(only.reason, clocksInText(only, ''));
  if (builtin !== undefined || name.startsWith('builtins.'))
    return unknown(`${call.callee}(…) of values that are not known`, unionOfClocks(call.positional));
  return undefined;
}
