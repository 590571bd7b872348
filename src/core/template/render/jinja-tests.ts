import { compare } from '../python/python-compare.ts';
import { isObject, type PythonValue, typeName } from '../python/python-value.ts';
import { refuse } from '../python/refusal.ts';

/** `value is name(…)`. */
export function applyTest(name: string, value: PythonValue, values: readonly PythonValue[]): boolean {
  const [other] = values;
  const undefinedValue = isObject(value) && value.kind === 'undefined';
  if (name === 'defined' || name === 'undefined') return undefinedValue === (name === 'undefined');
  if (undefinedValue) return refuse(`"${value.name}" is not defined`);
  if (other === undefined) return plainTest(name, value);
  switch (name) {
    case 'divisibleby':
      if (typeof value !== 'bigint' || typeof other !== 'bigint' || other === 0n)
        return refuse('divisibleby takes whole numbers');
      return value % other === 0n;
    case 'in':
      return compare('in', value, other);
    case 'eq':
    case 'equalto':
      return compare('==', value, other);
    case 'ne':
      return compare('!=', value, other);
    case 'gt':
    case 'greaterthan':
      return compare('>', value, other);
    case 'ge':
      return compare('>=', value, other);
    case 'lt':
    case 'lessthan':
      return compare('<', value, other);
    case 'le':
      return compare('<=', value, other);
    default:
      return refuse(`the test "${name}" is not supported`);
  }
}

const plainTypes: ReadonlySet<string> = new Set([
  'None',
  'str',
  'int',
  'float',
  'bool',
  'list',
  'tuple',
  'dict',
  'datetime',
  'date',
  'timedelta',
]);

function plainTest(name: string, value: PythonValue): boolean {
  const type = typeName(value);
  if (!plainTypes.has(type)) return refuse(`the test "${name}" of a ${type}`);
  switch (name) {
    case 'none':
      return value === null;
    case 'string':
      return type === 'str';
    case 'number':
      return type === 'int' || type === 'float' || type === 'bool';
    case 'integer':
      return type === 'int';
    case 'float':
      return type === 'float';
    case 'boolean':
      return type === 'bool';
    case 'true':
      return value === true;
    case 'false':
      return value === false;
    case 'mapping':
      return type === 'dict';
    case 'iterable':
      return ['str', 'list', 'tuple', 'dict'].includes(type);
    case 'sequence':
      return ['str', 'list', 'tuple', 'dict'].includes(type);
    case 'odd':
    case 'even':
      if (typeof value !== 'bigint') return refuse(`whether a ${type} is ${name}`);
      return (value % 2n === 0n) === (name === 'even');
    default:
      return refuse(`the test "${name}" is not supported`);
  }
}
