import { sourceOf } from '../../../python/calls/frame.ts';
import type { SyntaxNode } from '../../../python/syntax/syntax-tree.ts';
import { truthOf } from '../../../python/values/make-value.ts';
import type { FunctionValue, Value } from '../../../python/values/value.ts';

/** What a cursor gives of the rows that are there, and no more. */
const reading: ReadonlySet<string> = new Set([
  'fetchall',
  'fetchone',
  'fetchmany',
  'description',
  'rowcount',
  'arraysize',
  'rownumber',
  'statusmessage',
]);

const consuming: ReadonlySet<string> = new Set([
  'list',
  'tuple',
  'set',
  'next',
  'iter',
  'enumerate',
  'len',
  'str',
  'print',
]);

/**
 * Why a handler keeps a task from being run here: it is given the cursor that the SQL was sent over, and may send more.
 * `undefined` for those of Airflow and for functions that only fetch.
 */
export function handlerRefusal(handler: Value | undefined): string | undefined {
  if (handler === undefined || truthOf(handler) === false) return undefined;
  if (handler.kind === 'function') {
    return onlyFetches(handler) ? undefined : `its handler ${handler.name} does more with the cursor than fetch rows`;
  }
  if (handler.kind !== 'external') return 'its handler, which is given the cursor, is not known before it runs';
  return /(?:^|\.)(?:fetch_all_handler|fetch_one_handler)$/.test(handler.name)
    ? undefined
    : `its handler ${handler.name}, which is given the cursor, is not in the workspace`;
}

function onlyFetches({ node, frame }: FunctionValue): boolean {
  const parameters = node.children.find(({ field }) => field === 'parameters');
  const first = parameters?.children[0];
  if (first === undefined) return true;
  const name = sourceOf(frame, first.children.find(({ type }) => type === 'identifier') ?? first);
  const body = node.children.find(({ field }) => field === 'body');
  if (body === undefined) return false;
  const isHarmless = (within: SyntaxNode, parents: readonly SyntaxNode[]): boolean => {
    if (within.type !== 'identifier' || sourceOf(frame, within) !== name)
      return within.children.every((child) => isHarmless(child, [within, ...parents]));
    const [parent, grandparent] = parents;
    if (parent === undefined) return false;
    if (parent.type === 'attribute') {
      // `row.cursor` is no cursor.
      const attribute = parent.children.find(({ field }) => field === 'attribute');
      return attribute === within || (attribute !== undefined && reading.has(sourceOf(frame, attribute)));
    }
    if (parent.type === 'for_statement' || parent.type === 'for_in_clause') return within.field === 'right';
    if (parent.type === 'argument_list' && grandparent?.type === 'call') {
      const callee = grandparent.children.find(({ field }) => field === 'function');
      return callee !== undefined && consuming.has(sourceOf(frame, callee));
    }
    return parent.type === 'keyword_argument' && within.field === 'name';
  };
  return isHarmless(body, [node]);
}
