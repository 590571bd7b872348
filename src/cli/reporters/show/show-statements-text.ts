import type { Colors } from 'picocolors/types';
import type { StatementJson } from '../../../core/sql/statement-json.ts';

/** Each statement of a file with what was understood of it; facts that it does not have are left out. */
export function showStatementsText(statements: readonly StatementJson[], colors: Colors): string {
  if (statements.length === 0) return 'no statements were found\n';
  return statements.map((statement) => statementText(statement, colors)).join('');
}

function statementText(statement: StatementJson, colors: Colors): string {
  const { line, column } = statement.range.start;
  const rows: readonly (readonly [string, string])[] = [
    ['reads', statement.reads.join(', ')],
    ['where', statement.predicates.join(', ')],
    ['conflict', statement.conflict ?? ''],
    ['sets', statement.set.join(', ')],
    ['branches', statement.branches.join(', ')],
    ['columns', statement.columns.map((name) => name ?? '?').join(', ')],
    ['partition', statement.partition ?? ''],
    ['differs', statement.nondeterministic.join(', ')],
  ];
  const head = `${colors.dim(`${line}:${column}`)} ${colors.bold(statement.kind)} ${statement.targets.join(', ')}`;
  const temporary = statement.temporary ? ' (temporary)' : '';
  const facts = rows.filter(([, value]) => value !== '').map(([name, value]) => `    ${name.padEnd(9)} ${value}\n`);
  return `${head.trimEnd()}${temporary}\n${facts.join('')}`;
}
