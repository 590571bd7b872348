import { emptyCall } from '../../../python/calls/call.ts';
import { spanIn } from '../../../python/calls/frame.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { childOf } from '../../../python/syntax/syntax-tree.ts';
import { listOf, scalar } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, FunctionValue, Interpreter, Keyword, Value } from '../../../python/values/value.ts';
import { assetKey, assetsOf, assetValue } from '../program/assets.ts';
import type { Program } from '../program/program.ts';
import { openDag } from './dags.ts';
import { newTask } from './tasks.ts';

/** Parameters of a function under `@asset` that are no other assets. */
const ownParameters: ReadonlySet<string> = new Set(['self', 'context', 'outlet_events']);

/**
 * A function under `@asset(schedule=…)` or `@asset.multi(schedule=…, outlets=[…])`: a DAG of one task that makes the
 * asset, called like the function, without catchup. Parameters without a default are the assets that it reads.
 */
export function assetDefinition(
  program: Program,
  target: FunctionValue,
  decorator: Call,
  multi: boolean,
  run: Interpreter,
): Value {
  const name = plainText(decorator.keywords.get('name')?.value) ?? target.name;
  const key = assetKey({ ...decorator, positional: [] }) ?? name;
  const place = decorator.at;
  const given = (argument: string, value: Value): Keyword => ({ name: argument, value, at: place, valueAt: place });
  const dag = openDag(
    program,
    { ...decorator, keywords: new Map([...decorator.keywords, ['catchup', given('catchup', scalar(false))]]) },
    run,
    multi ? target.name : name,
  );
  const outlets = multi ? decorator.keywords.get('outlets') : given('outlets', assetValue(key));
  const inlets = parametersOf(target.node, target.frame)
    .filter((parameter) => !ownParameters.has(parameter.name) && !target.defaults.has(parameter.name))
    .map(({ name: other }) => {
      // An asset of the same file is known by its URI as well.
      const known = target.frame.names.get(other);
      return assetValue((known && assetsOf(known)[0]) ?? other);
    });
  const at = spanIn(target.frame, target.node);
  const nameNode = childOf(target.node, 'name');
  program.dagStack.push(dag);
  newTask(
    program,
    '@asset',
    {
      ...emptyCall(at, decorator.callee),
      keywords: new Map([
        ...(outlets === undefined ? [] : [['outlets', outlets] as const]),
        ['inlets', { ...given('inlets', listOf(inlets)), at, valueAt: at }],
      ]),
    },
    { function: target, call: emptyCall(at, target.name) },
    { defaultName: target.name, nameAt: nameNode === undefined ? at : spanIn(target.frame, nameNode) },
  );
  program.dagStack.pop();
  return multi && outlets !== undefined ? outlets.value : assetValue(key);
}
