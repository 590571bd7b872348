import { argument } from '../../../python/calls/call.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { dictKey, hostValue, none, unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, FunctionValue, Host, Interpreter, Value } from '../../../python/values/value.ts';
import { sparkWorkOf, tellsOfSpark } from '../../spark/session/spark-work.ts';
import { session } from '../../spark/sources/session.ts';
import { taskSpark } from '../callables/task-spark.ts';
import { airflowHost } from '../declare/airflow-host.ts';
import type { Program } from '../program/program.ts';
import { hostFor } from '../program/program-of.ts';
import { argumentParser } from './argument-parser.ts';
import { argumentVector, type JobArguments, namedArgument, openArgument } from './job-arguments.ts';

/** The host of a script that is run by itself: what the host of DAG files knows, and where a script has its arguments from. */
export function jobHost(program: Program, given: JobArguments, file: string, text: string): Host {
  const base = airflowHost(program);
  const byName = (name: string): Value => namedArgument(given, name) ?? openArgument(name);
  const host: Host = {
    ...base,
    callExternal(name, call, run) {
      if (name === 'argparse.ArgumentParser') return argumentParser(given);
      if (/^awsglue\.utils\.getResolvedOptions$/.test(name)) return resolvedOptions(call, byName);
      if (/^(?:os\.getenv|os\.environ\.get)$/.test(name)) {
        const own = given.environment.get(plainText(argument(call, 'key', 0)?.value) ?? '');
        if (own !== undefined) return own;
      }
      if (name === 'sys.exit' || name === 'builtins.exit') return none;
      return base.callExternal(name, call, run);
    },
    externalValue: (name, run) =>
      name === 'sys.argv' ? argumentVector(given, file, text) : base.externalValue?.(name, run),
    externalItem(name, key, run) {
      const own = name === 'os.environ' ? given.environment.get(plainText(key) ?? '') : undefined;
      return own ?? base.externalItem(name, key, run);
    },
    importedName: (module, name, run) =>
      module === 'sys' && name === 'argv' ? argumentVector(given, file, text) : base.importedName?.(module, name, run),
    decorate(decorator, target, at, run) {
      const command =
        decorator.kind === 'external' ? decorator.name : decorator.kind === 'instance' ? decorator.type : '';
      if (/^(?:click|typer)\b.*\.?command$/.test(command) && target.kind === 'function')
        return commandOf(target, byName);
      return base.decorate(decorator, target, at, run);
    },
  };
  tellsOfSpark(host, () => taskSpark(program));
  return hostFor(program, host);
}

/** Names that a notebook or a shell of Spark has by itself. */
export function jobNames(given: JobArguments): Map<string, Value> {
  const byName = (name: string): Value => namedArgument(given, name) ?? openArgument(name);
  const widgets = hostValue({
    type: 'widgets',
    attribute: (name) =>
      hostValue({
        type: 'widget',
        call: (call: Call) => {
          const key = plainText(call.positional[0]);
          if (!/^(?:get|getArgument)$/.test(name)) return none;
          return key === undefined ? unknown('a widget whose name is not known') : byName(key);
        },
      }),
  });
  const dbutils = hostValue({ type: 'dbutils', attribute: (name) => (name === 'widgets' ? widgets : undefined) });
  return new Map<string, Value>([
    ['__name__', { kind: 'text', mapped: { text: '__main__', pieces: [] }, holes: [], clocks: [] }],
    ['spark', session],
    ['sqlContext', session],
    ['dbutils', dbutils],
  ]);
}

/** Settings that whoever runs the script gives its session. */
export function giveSettings({ settings }: JobArguments, run: Interpreter): void {
  const work = sparkWorkOf(run);
  for (const [name, value] of settings) work.settings.set(name, value);
}

/** `getResolvedOptions(sys.argv, ["JOB_NAME", "day"])`. */
function resolvedOptions(call: Call, byName: (name: string) => Value): Value | undefined {
  const names = argument(call, 'options', 1)?.value;
  if (names?.kind !== 'list') return undefined;
  const entries = names.items.flatMap((item) => {
    const name = plainText(item);
    const key = dictKey(item);
    return name === undefined || key === undefined
      ? []
      : [[key, { value: byName(name), at: call.at, valueAt: call.at }] as const];
  });
  return { kind: 'dict', entries: new Map(entries), open: names.open };
}

/** A function that a command line calls: what is not given at the call is an argument of the script. */
function commandOf(target: FunctionValue, byName: (name: string) => Value): Value {
  return hostValue({
    type: 'command',
    holds: [target],
    call(call, run) {
      const open = parametersOf(target.node, target.frame).slice(call.positional.length);
      const preset = new Map(
        open.flatMap(({ name }) => (call.keywords.has(name) ? [] : [[name, byName(name)] as const])),
      );
      return run.callFunction(target, call, preset);
    },
  });
}
