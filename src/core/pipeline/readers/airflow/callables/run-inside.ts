import { unknown } from '../../../python/values/make-value.ts';
import { asRendered } from '../../../python/values/text-value.ts';
import type { Interpreter, Value } from '../../../python/values/value.ts';
import { givenSql } from '../operators/sql-arguments.ts';
import { sqlOperators } from '../operators/sql-operators.ts';
import type { Program, TaskBuilder } from '../program/program.ts';
import { renderedField } from '../templates/rendered-value.ts';
import { operatorUnread } from '../transfers/opaque-operators.ts';
import { transferAccesses } from '../transfers/transfer-accesses.ts';
import { noteAccess } from './note-access.ts';
import { noteUnread } from './note-unread.ts';
import { sendTexts } from './sent-sql.ts';

/** `Operator(…).execute(context)` inside the Python of a task: what it does is done by that task. */
export function runInside(program: Program, inner: TaskBuilder, run: Interpreter): Value {
  const operator = sqlOperators[inner.operator];
  const given = operator && givenSql(inner, operator);
  if (operator !== undefined && given !== undefined) {
    const endings = operator.extensions ?? ['.sql'];
    const value = renderedField(given.value, endings, run.files, inner.made.at.file, undefined);
    sendTexts(
      program,
      { ...given, value: asRendered(value) },
      {
        type: `${inner.operator}Hook`,
        opened: inner.made,
      },
      inner.made,
    );
    return unknown('rows of a query');
  }
  if (inner.callable !== undefined) {
    // Its own code may render its fields before they are sent.
    if (program.running !== undefined) program.running.rendersTexts = true;
    return run.callFunction(inner.callable.function, inner.callable.call);
  }
  for (const access of transferAccesses(inner)) noteAccess(program, access);
  for (const { hides, reason } of operatorUnread(inner)) noteUnread(program, hides, reason, inner.made.at);
  return unknown(`what ${inner.operator} gives`);
}
