import { accessPath, type JinjaExpression, type JinjaLiteral } from '../language/expression.ts';
import { mapExpression } from '../language/map-expression.ts';

/**
 * The expression as it is in a run that its schedule makes: `dag_run.conf` is empty there, so that `.get('day', ds)` is
 * `ds`, and what is chosen by a condition on it is the one that such runs have. Members that are not there stay as they
 * are: Airflow fails on them.
 */
export function withEmptyConf(expression: JinjaExpression): JinjaExpression {
  const inner = mapExpression(expression, withEmptyConf);
  switch (inner.kind) {
    case 'call':
      return inner.callee.kind === 'attribute' && inner.callee.name === 'get' && isEmpty(inner.callee.object)
        ? (inner.arguments.positional[1] ??
            inner.arguments.keyword.find(({ name }) => name === 'default')?.value ??
            none(inner))
        : inner;
    case 'conditional': {
      const truth = truthOf(inner.condition);
      if (truth === undefined) return inner;
      return truth ? inner.consequent : (inner.alternative ?? inner);
    }
    case 'binary': {
      const truth = inner.operator === 'and' || inner.operator === 'or' ? truthOf(inner.left) : undefined;
      if (truth === undefined) return inner;
      return truth === (inner.operator === 'or') ? inner.left : inner.right;
    }
    case 'filter': {
      if (inner.name !== 'default' && inner.name !== 'd') return inner;
      const [fallback, alsoFalse] = inner.arguments.positional;
      const isReplaced =
        isMember(inner.operand) ||
        (inner.operand.kind === 'literal' &&
          alsoFalse !== undefined &&
          truthOf(alsoFalse) === true &&
          truthOf(inner.operand) === false);
      return isReplaced && fallback !== undefined ? fallback : inner;
    }
    default:
      return inner;
  }
}

/** Whether a condition holds in a run that its schedule makes; `undefined` where its conf does not decide that. */
export const holdsWithoutConf = (condition: JinjaExpression): boolean | undefined =>
  namesConf(condition) ? truthOf(withEmptyConf(condition)) : undefined;

function truthOf(expression: JinjaExpression): boolean | undefined {
  if (isEmpty(expression)) return false;
  const path = accessPath(expression);
  if (path?.length === 1 && path[0] === 'dag_run') return true;
  switch (expression.kind) {
    case 'literal':
      return Boolean(expression.value);
    case 'unary': {
      const truth = expression.operator === 'not' ? truthOf(expression.operand) : undefined;
      return truth === undefined ? undefined : !truth;
    }
    case 'binary': {
      const [left, right] = [truthOf(expression.left), truthOf(expression.right)];
      if (expression.operator === 'and') return left === false || right === false ? false : both(left, right);
      if (expression.operator === 'or') return left === true || right === true ? true : both(left, right);
      return undefined;
    }
    case 'compare': {
      const [only, more] = expression.rest;
      if (only === undefined || more !== undefined) return undefined;
      if (isEmpty(only.operand) && (only.operator === 'in' || only.operator === 'not in'))
        return only.operator === 'not in';
      const { first } = expression;
      if (first.kind !== 'literal' || only.operand.kind !== 'literal') return undefined;
      const isSame = first.value === only.operand.value;
      return only.operator === '==' ? isSame : only.operator === '!=' ? !isSame : undefined;
    }
    case 'test': {
      const truth = testOf(expression.name, expression.operand);
      return truth === undefined ? undefined : truth !== expression.negated;
    }
    default:
      return undefined;
  }
}

const both = (left: boolean | undefined, right: boolean | undefined): boolean | undefined =>
  left === undefined || right === undefined ? undefined : right;

function testOf(name: string, operand: JinjaExpression): boolean | undefined {
  if (name === 'defined' || name === 'undefined') {
    if (isMember(operand)) return name === 'undefined';
    return isConf(operand) || operand.kind === 'literal' ? name === 'defined' : undefined;
  }
  if (name === 'none' && operand.kind === 'literal') return operand.value === null;
  return undefined;
}

/** The conf, or `{}` in place of it. */
const isEmpty = (expression: JinjaExpression): boolean =>
  isConf(expression) || (expression.kind === 'dict' && expression.entries.length === 0);

const isConf = (expression: JinjaExpression): boolean => accessPath(expression)?.join('.') === 'dag_run.conf';

/** `dag_run.conf.day`, `dag_run.conf['day']`. */
const isMember = (expression: JinjaExpression): boolean =>
  (expression.kind === 'attribute' || expression.kind === 'subscript') && isConf(expression.object);

function namesConf(expression: JinjaExpression): boolean {
  let found = isConf(expression);
  mapExpression(expression, (part) => {
    found ||= namesConf(part);
    return part;
  });
  return found;
}

const none = ({ start, end }: JinjaExpression): JinjaLiteral => ({
  kind: 'literal',
  type: 'none',
  value: null,
  start,
  end,
});
