import { argument, emptyCall } from '../../../python/calls/call.ts';
import { hostValue, listOf, none, scalar } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Interpreter, Value } from '../../../python/values/value.ts';
import { type JobArguments, openArgument, optionValue, positionalWords, sameName } from './job-arguments.ts';

/** `parser.add_argument(…)`. */
interface Declared {
  /** As written: `--day`, `-d`, or the name of a positional argument. */
  readonly names: readonly string[];
  readonly call: Call;
}

/** `argparse.ArgumentParser()`: what it is told to expect, and what of that a run is given. */
export function argumentParser(given: JobArguments): Value {
  const declared: Declared[] = [];
  const parsed = (run: Interpreter): Value => namespace(declared, given, run);
  const parser: Value = hostValue({
    type: 'argument-parser',
    attribute: (name) =>
      hostValue({
        type: 'argument-parser-method',
        call(call, run) {
          switch (name) {
            case 'add_argument': {
              const names = call.positional.flatMap((value) => plainText(value) ?? []);
              declared.push({ names, call });
              return none;
            }
            case 'add_argument_group':
            case 'add_mutually_exclusive_group':
              return parser;
            case 'parse_args':
              return parsed(run);
            case 'parse_known_args':
              return listOf([parsed(run), listOf([], false, true)], true);
            default:
              return none;
          }
        },
      }),
  });
  return parser;
}

function namespace(declared: readonly Declared[], given: JobArguments, run: Interpreter): Value {
  const values = new Map<string, Value>();
  const isFlag = ({ call }: Declared): boolean =>
    /^(?:store_|count|help)/.test(plainText(argument(call, 'action')?.value) ?? '');
  const flags = new Set(declared.filter(isFlag).flatMap(({ names }) => names));
  const positional = given.words === undefined ? [] : positionalWords(given.words, flags);
  let place = 0;
  for (const one of declared) {
    const own = plainText(argument(one.call, 'dest')?.value);
    const long = one.names.find((name) => name.startsWith('--')) ?? one.names[0] ?? '';
    const name = own ?? sameName(long);
    if (isFlag(one)) {
      values.set(
        name,
        given.words === undefined
          ? openArgument(name)
          : scalar(one.names.some((flag) => given.words?.some((word) => plainText(word) === flag))),
      );
      continue;
    }
    const isOption = long.startsWith('-');
    const value =
      given.words === undefined
        ? openArgument(name)
        : isOption
          ? optionValue(given.words, one.names)
          : positional[place++];
    const made = value === undefined ? argument(one.call, 'default')?.value : converted(value, one.call, run);
    values.set(name, made ?? none);
  }
  return hostValue({
    type: 'arguments',
    attribute: (name) => values.get(name),
    item: (key) => values.get(plainText(key) ?? ''),
  });
}

/** What `type=` makes of the text. */
function converted(value: Value, call: Call, run: Interpreter): Value {
  const type = argument(call, 'type')?.value;
  if (type === undefined || (type.kind === 'external' && /^builtins\./.test(type.name))) return value;
  if (value.kind === 'symbol' && value.symbol.kind === 'parameter') return value;
  return run.call(type, emptyCall(call.at, 'type', [value]));
}
