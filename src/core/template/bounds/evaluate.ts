import { accessPath, type CallArguments, type JinjaExpression } from '../language/expression.ts';
import { parseExpression } from '../language/parse-expression.ts';
import { withEmptyConf } from '../names/empty-conf.ts';
import { askedFor, expandNames } from '../names/expand-names.ts';
import { type SymbolicValue, unknownValue } from '../names/symbolic-value.ts';
import { emptyEnvironment, type TemplateEnvironment } from '../names/template-environment.ts';
import { clockCalls, clockNames, previousTickNames, randomCalls, stateNames, timeNames } from '../names/time-names.ts';
import { added, calendarUnits, distance, elapsedUnits, type Reading, scaled } from './distance.ts';
import {
  comparablePattern,
  escaped,
  exported,
  type Moment,
  momentOf,
  printPatternOf,
  sliced,
  written,
} from './moment.ts';
import { filteredMoment, methodOfMoment, movedMoment, patternProblem } from './moment-methods.ts';

/** What is known of names that are not Airflow's. */
export interface Known extends Pick<TemplateEnvironment, 'names' | 'filters' | 'conf'> {
  /** Names that the template sets in a way that is not followed. */
  readonly uncertain: ReadonlySet<string>;
}

const nothingKnown: Known = { ...emptyEnvironment, uncertain: new Set() };

/**
 * What the text inside `{{ … }}` stands for, as a function of the data interval. Never throws; what is not understood
 * is an unknown that says why.
 */
export function evaluateExpression(source: string, known: Known = nothingKnown): SymbolicValue {
  const { names, filters, uncertain, conf } = known;
  const parsed = parseExpression(source);
  if (!parsed.ok) return unknownValue(`cannot be read: ${parsed.message}`);
  const expanded = expandNames(parsed.value, { names, filters });
  const expression = conf === 'unknown' ? expanded : withEmptyConf(expanded);
  const own = uncertain.size === 0 ? undefined : askedFor(expression, uncertain);
  if (own !== undefined) return unknownValue(`"${own}" is set in the template itself`);
  const value = read(expression);
  if (value.kind === 'moment') return exported(value);
  return value.kind === 'distance' ? unknownValue('a length of time, not a time') : value;
}

function read(expression: JinjaExpression): Reading {
  const path = accessPath(expression);
  if (path !== undefined) return named(path) ?? readMember(expression);
  switch (expression.kind) {
    case 'literal':
      return {
        kind: 'literal',
        value: typeof expression.value === 'bigint' ? Number(expression.value) : expression.value,
      };
    case 'attribute':
    case 'subscript':
      return readMember(expression);
    case 'slice':
      return readSlice(expression);
    case 'call':
      return readCall(expression.callee, expression.arguments);
    case 'filter':
      return filtered(read(expression.operand), expression.name, expression.arguments);
    case 'unary':
      return negated(expression.operator, read(expression.operand));
    case 'binary':
      return combined(expression.operator, read(expression.left), read(expression.right));
    case 'concat':
      return expression.parts.map(read).reduce(joined);
    case 'conditional':
      return oneOf(
        read(expression.consequent),
        expression.alternative === undefined ? unknownValue('nothing') : read(expression.alternative),
      );
    default:
      return unknownValue(`a ${expression.kind} expression is not a bound of the interval`);
  }
}

/** A name of the context, or `undefined` for an attribute of something else. */
function named(path: readonly string[]): Reading | undefined {
  const dotted = path.join('.');
  const [root = '', second, third] = path;
  const time = Object.hasOwn(timeNames, dotted) ? timeNames[dotted] : undefined;
  if (time !== undefined) return momentOf(time);
  if (clockNames.has(dotted)) return { kind: 'clock', name: dotted };
  if (stateNames.has(dotted)) return { kind: 'state', name: dotted };
  if (Object.hasOwn(previousTickNames, dotted))
    return unknownValue(`${dotted} is the tick before, which the interval alone does not tell`);
  if (root === 'params') return { kind: 'parameter', source: 'params', name: path.slice(1).join('.') };
  if (root === 'conn') return { kind: 'parameter', source: 'conn', name: path.slice(1).join('.') };
  if (root === 'var' && (second === 'value' || second === 'json') && third !== undefined)
    return { kind: 'parameter', source: 'var', name: path.slice(2).join('.') };
  if (root === 'dag_run' && second === 'conf')
    return { kind: 'parameter', source: 'conf', name: path.slice(2).join('.') };
  if (path.length > 1) return stateNames.has(root) ? { kind: 'state', name: dotted } : undefined;
  return unknownValue(`"${root}" is not a name that Airflow gives to templates`);
}

/** `.year`, `.int_timestamp` and the like of a time. */
function readMember(expression: JinjaExpression): Reading {
  if (expression.kind !== 'attribute' && expression.kind !== 'subscript') return unknownValue('not understood');
  const object = read(expression.object);
  const name = expression.kind === 'attribute' ? expression.name : '[…]';
  if (object.kind === 'moment')
    return methodOfMoment(object, name, undefined, unread) ?? unknownValue(`".${name}" of a time`);
  if (object.kind === 'parameter') return { ...object, name: `${object.name}.${name}` };
  if (object.kind === 'state' || object.kind === 'clock') return object;
  const path = accessPath(expression)?.join('.');
  return unknownValue(path === undefined ? `".${name}" is not understood` : `"${path}" is not known without running`);
}

function readSlice(expression: JinjaExpression & { kind: 'slice' }): Reading {
  const object = read(expression.object);
  const bound = (part: JinjaExpression | undefined): number | undefined | null => {
    if (part === undefined) return undefined;
    const value = read(part);
    return value.kind === 'literal' && typeof value.value === 'number' ? value.value : null;
  };
  const from = bound(expression.from);
  const to = bound(expression.to);
  if (from === null || to === null || expression.step !== undefined)
    return unknownValue('a slice whose bounds are not constant');
  if (object.kind !== 'moment')
    return object.kind === 'literal' ? unknownValue('a slice of a constant') : madeOf(object);
  return object.type === 'text' ? orUnknown(sliced(object, from, to)) : unknownValue('a time is not a text to slice');
}

function readCall(callee: JinjaExpression, callArguments: CallArguments): Reading {
  const path = accessPath(callee);
  const dotted = path?.join('.') ?? '';
  if (clockCalls.has(dotted)) return { kind: 'clock', name: dotted };
  if (randomCalls.has(dotted)) return unknownValue(`${dotted}() is random`);
  if (dotted.startsWith('macros.')) return macroCall(dotted, callArguments);
  if (dotted === 'var' || dotted === 'env_var') return projectVariable(dotted, callArguments);
  if (stateNames.has(dotted)) return { kind: 'state', name: dotted };
  if (callee.kind !== 'attribute')
    return unknownValue(`"${dotted === '' ? 'the call' : dotted}" is not a function that Airflow gives to templates`);
  const object = read(callee.object);
  if (object.kind === 'moment')
    return methodOfMoment(object, callee.name, callArguments, read) ?? unknownValue(`".${callee.name}()" of a time`);
  if (object.kind === 'parameter' && callee.name === 'get')
    return { ...object, name: keyOf(object.name, callArguments) };
  if (path?.[0] === 'var' && callee.name === 'get')
    return { kind: 'parameter', source: 'var', name: keyOf('', callArguments) };
  if (object.kind === 'parameter' || object.kind === 'state' || object.kind === 'clock') return madeOf(object);
  return unknownValue(`".${callee.name}()" is not understood`);
}

function keyOf(prefix: string, { positional: [key] }: CallArguments): string {
  const name = key?.kind === 'literal' ? String(key.value) : '?';
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** dbt's `var('name')` and `env_var('NAME')`. */
const projectVariable = (called: 'var' | 'env_var', callArguments: CallArguments): SymbolicValue => ({
  kind: 'parameter',
  source: called === 'var' ? 'var' : 'env',
  name: keyOf('', callArguments),
});

function macroCall(called: string, callArguments: CallArguments): Reading {
  const [first, second = keywordOf(callArguments, 'days'), third] = callArguments.positional.map(read);
  const time = first === undefined || first.kind !== 'moment' ? undefined : first;
  switch (called) {
    case 'macros.timedelta':
      return distance(callArguments, elapsedUnits, read) ?? unknownValue('a timedelta that is not constant');
    case 'macros.dateutil.relativedelta.relativedelta':
      return distance(callArguments, calendarUnits, read) ?? unknownValue('a relativedelta that is not constant');
    case 'macros.ds_add': {
      if (time === undefined) return first ?? unknownValue('macros.ds_add() needs a date');
      if (time.pattern !== '%Y-%m-%d' && time.type !== 'date')
        return unknownValue('macros.ds_add() takes a date like 2026-11-28');
      if (second?.kind !== 'literal' || typeof second.value !== 'number') return dependsOn(second, 'macros.ds_add()');
      return movedMoment(time, { months: 0, days: second.value, ms: 0 });
    }
    case 'macros.ds_format': {
      if (time === undefined) return first ?? unknownValue('macros.ds_format() needs a date');
      const parsed = parsedAs(time, textOf(second), called);
      return parsed.kind === 'moment' ? byPattern(parsed, third) : parsed;
    }
    case 'macros.datetime.strptime':
      if (time === undefined) return first ?? unknownValue('strptime() needs a text');
      return parsedAs(time, textOf(second), called);
    default:
      return unknownValue(`${called}() is not understood`);
  }
}

function keywordOf({ keyword }: CallArguments, wanted: string): Reading | undefined {
  const argument = keyword.find(({ name }) => name === wanted);
  return argument === undefined ? undefined : read(argument.value);
}

const textOf = (value: Reading | undefined): string | undefined =>
  value?.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined;

/** A text parsed by a pattern is the same time when it was written by that pattern. */
function parsedAs(time: Moment, pattern: string | undefined, called: string): Reading {
  const text = time.type === 'text' ? time : written(time, printPatternOf(time));
  if (typeof text === 'string') return unknownValue(text);
  const hasOffset = pattern !== undefined && text.zone === 'UTC' && pattern.includes('%z');
  const shown = comparablePattern(text);
  const fits = hasOffset
    ? ['+00:00', '+0000', 'Z'].some((offset) => pattern.replace('%z', offset) === shown)
    : pattern === shown;
  if (!fits) return unknownValue(`${called}() with another pattern than the text has`);
  return { ...text, type: hasOffset ? 'plain' : 'naive', precision: 'instant' };
}

function byPattern(time: Moment, pattern: Reading | undefined): Reading {
  const text = textOf(pattern);
  if (text === undefined) return dependsOn(pattern, 'the pattern');
  const problem = patternProblem(text);
  return problem === undefined ? orUnknown(written(time, text)) : unknownValue(problem);
}

function filtered(value: Reading, name: string, callArguments: CallArguments): Reading {
  if (value.kind === 'moment') {
    if (name === 'replace')
      return (
        methodOfMoment(
          value.type === 'text' ? value : { ...value, pattern: printPatternOf(value), type: 'text' },
          'replace',
          callArguments,
          read,
        ) ?? unknownValue('a replacement that is not constant')
      );
    return filteredMoment(value, name) ?? unknownValue(`the filter "${name}" of a time`);
  }
  return value.kind === 'literal' ? unknownValue(`the filter "${name}" of a constant`) : madeOf(value);
}

function negated(operator: '-' | '+' | 'not', value: Reading): Reading {
  if (value.kind === 'literal' && typeof value.value === 'number' && operator !== 'not')
    return { kind: 'literal', value: operator === '-' ? -value.value : value.value };
  if (value.kind === 'distance' && operator === '-') return scaled(value, -1);
  return value.kind === 'unknown' ? value : unknownValue(`"${operator}" of this value`);
}

function combined(operator: string, left: Reading, right: Reading): Reading {
  if (operator === 'and' || operator === 'or') return oneOf(left, right);
  if (operator === '+' && left.kind === 'distance' && right.kind === 'moment') return combined('+', right, left);
  if (operator === '+' || operator === '-') {
    if (left.kind === 'moment' && right.kind === 'distance') {
      if (left.type === 'text') return unknownValue('a text and a length of time cannot be added');
      return movedMoment(left, operator === '+' ? right.offset : scaled(right, -1).offset, 'elapsed');
    }
    if (left.kind === 'distance' && right.kind === 'distance')
      return added(left, operator === '+' ? right : scaled(right, -1));
  }
  if (operator === '+' && isText(left) && isText(right)) return joined(left, right);
  if (operator === '*' && left.kind === 'distance' && isNumber(right)) return scaled(left, right.value);
  if (operator === '*' && isNumber(left) && right.kind === 'distance') return scaled(right, left.value);
  if (isNumber(left) && isNumber(right)) {
    const value =
      operator === '+'
        ? left.value + right.value
        : operator === '-'
          ? left.value - right.value
          : operator === '*'
            ? left.value * right.value
            : undefined;
    if (value !== undefined) return { kind: 'literal', value };
  }
  return notConstant(left) ?? notConstant(right) ?? unknownValue(`"${operator}" of these values`);
}

const isNumber = (value: Reading): value is { kind: 'literal'; value: number } =>
  value.kind === 'literal' && typeof value.value === 'number';
const isText = (value: Reading): boolean =>
  value.kind === 'moment' ? value.type === 'text' : value.kind === 'literal' && typeof value.value === 'string';
/** The operand that decides what the whole depends on. */
const notConstant = (value: Reading): SymbolicValue | undefined =>
  value.kind === 'moment' || value.kind === 'distance' || value.kind === 'literal' ? undefined : madeOf(value);

/** What an operation makes of a value that is not told. */
const madeOf = <Value extends Reading>(value: Value): Value =>
  value.kind === 'parameter' ? { ...value, made: true } : value;

/** `a ~ b`: a time with constant text around it is still that time. */
function joined(left: Reading, right: Reading): Reading {
  const sides = [left, right].map((value) => {
    if (value.kind === 'moment') return value.type === 'text' ? value : written(value, printPatternOf(value));
    return value;
  });
  const [a, b] = sides;
  if (typeof a === 'string' || typeof b === 'string' || a === undefined || b === undefined)
    return unknownValue(String(typeof a === 'string' ? a : b));
  if (a.kind === 'literal' && b.kind === 'literal')
    return { kind: 'literal', value: `${String(a.value)}${String(b.value)}` };
  if (a.kind === 'moment' && b.kind === 'literal') return { ...a, pattern: a.pattern + escaped(String(b.value)) };
  if (a.kind === 'literal' && b.kind === 'moment') return { ...b, pattern: escaped(String(a.value)) + b.pattern };
  return notConstant(a) ?? notConstant(b) ?? unknownValue('two times in one text');
}

function oneOf(first: Reading, second: Reading): Reading {
  const same = JSON.stringify(first) === JSON.stringify(second);
  if (same) return first;
  for (const value of [first, second])
    if (value.kind === 'parameter')
      return unknownValue(`it is ${value.source}.${value.name} or another value, which a condition decides`);
  return unknownValue('which of two values it is depends on a condition');
}

const dependsOn = (value: Reading | undefined, what: string): SymbolicValue =>
  (value === undefined ? undefined : notConstant(value)) ?? unknownValue(`${what} with a value that is not constant`);

const unread = (): Reading => unknownValue('not read');
const orUnknown = (value: Moment | string): Reading => (typeof value === 'string' ? unknownValue(value) : value);
