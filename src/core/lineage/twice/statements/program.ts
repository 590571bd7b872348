import type { TaskSql } from '../../../pipeline/model/model.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import { ownStatements } from '../../../sql/names/slice-guard.ts';
import { type ExpressionPiece, readBody, type StatementPiece, type Step } from './read-body.ts';

/** What a task runs, in order; `undefined` where its SQL stands under conditions of Python. */
export function programOf(texts: readonly TaskSql[]): readonly Step[] | undefined {
  if (texts.some(({ conditions = [] }) => conditions.length > 0)) return undefined;
  return texts.flatMap((sql) => {
    const { masked, reading } = sql;
    return ownStatements(masked.text, reading.statements).map((statement): Step => {
      if (statement.kind === 'do') return { kind: 'block', steps: bodyOf(statement, sql) };
      return { kind: 'run', piece: { masked, statement }, into: [], using: [] };
    });
  });
}

function bodyOf({ start, end }: Statement, { masked, dialect }: TaskSql): readonly Step[] {
  const found = /(\$\w*\$)([\s\S]*)\1/.exec(masked.text.slice(start, end));
  const [whole, , body] = found ?? [];
  if (found === null || whole === undefined || body === undefined) return [{ kind: 'strange', what: 'DO' }];
  const from = start + found.index + whole.indexOf(body, 2);
  return readBody(masked, from, from + body.length, dialect);
}

/** All statements and expressions of a program, those in branches and loops too. */
export function piecesOf(steps: readonly Step[]): {
  readonly statements: readonly StatementPiece[];
  readonly expressions: readonly ExpressionPiece[];
  readonly variables: readonly string[];
} {
  const statements: StatementPiece[] = [];
  const expressions: ExpressionPiece[] = [];
  const variables: string[] = [];
  const go = (all: readonly Step[]): void => {
    for (const step of all) {
      if (step.kind === 'run') {
        statements.push(step.piece);
        expressions.push(...step.using);
        variables.push(...step.into);
      } else if (step.kind === 'set') {
        variables.push(step.variable);
        if (step.value !== undefined) expressions.push(step.value);
      } else if (step.kind === 'block') go(step.steps);
      else if (step.kind === 'if')
        for (const { condition, steps: inner } of step.branches) {
          if (condition !== undefined) expressions.push(condition);
          go(inner);
        }
      else if (step.kind === 'for') {
        statements.push(step.rows);
        variables.push(step.variable);
        go(step.steps);
      }
    }
  };
  go(steps);
  return { statements, expressions, variables };
}
