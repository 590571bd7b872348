import type { Value } from '../../repeats/term.ts';
import { NotRun } from '../rows/not-run.ts';
import type { NamedRow, Scene, Sight } from '../rows/relation.ts';
import { runExpression } from '../rows/run-expression.ts';
import { runQuery } from '../rows/run-query.ts';
import type { ExpressionPiece, StatementPiece, Step } from './read-body.ts';
import { runStatement, type Tables } from './run-statement.ts';

/** Loops beyond this are not followed. */
const maxSteps = 400;

type Around = Pick<Scene, 'given' | 'anew' | 'clock'>;

/** Runs a program on tables and gives what they are then. Throws {@link NotRun} and Refused. */
export function runProgram(steps: readonly Step[], tables: Tables, around: Around): Tables {
  const runner = new Runner(tables, around);
  for (const step of steps) runner.top(step);
  return runner.tables;
}

class Runner {
  tables: Tables;
  readonly #around: Around;
  #variables = new Map<string, Value | NamedRow>();
  #affected = 0;
  #steps = 0;

  constructor(tables: Tables, around: Around) {
    this.tables = tables;
    this.#around = around;
  }

  top(step: Step): void {
    this.#variables = new Map();
    if (step.kind === 'block') this.#all(step.steps);
    else this.#one(step);
  }

  /** True: the body has returned. */
  #all(steps: readonly Step[]): boolean {
    return steps.some((step) => this.#one(step));
  }

  #one(step: Step): boolean {
    if (++this.#steps > maxSteps) throw new NotRun('so many steps');
    switch (step.kind) {
      case 'strange':
        throw new NotRun(step.what);
      case 'return':
        return true;
      case 'block':
        return this.#all(step.steps);
      case 'count':
        this.#variables.set(step.variable, this.#affected);
        return false;
      case 'set':
        this.#variables.set(step.variable, step.value === undefined ? null : this.#value(step.value));
        return false;
      case 'run':
        this.#run(step);
        return false;
      case 'if': {
        const taken = step.branches.find(({ condition }) => condition === undefined || this.#value(condition) === true);
        return taken !== undefined && this.#all(taken.steps);
      }
      case 'for': {
        const { columns, rows } = this.#statement(step.rows).putOut;
        for (const row of rows) {
          this.#variables.set(step.variable, new Map(columns.map((name, index) => [name, row[index] ?? null])));
          if (this.#all(step.steps)) return true;
        }
        this.#found(rows.length);
        return false;
      }
    }
  }

  #run({ piece, into, using }: Step & { readonly kind: 'run' }): void {
    const given = using.map((one, index) => [`$${index + 1}`, this.#value(one)] as const);
    for (const [name, value] of given) this.#variables.set(name, value);
    const { putOut, affected } = this.#statement(piece);
    this.#found(affected);
    for (const [index, name] of into.entries()) {
      const [row] = putOut.rows;
      const isRow = into.length === 1 && putOut.columns.length > 1;
      const whole = new Map(putOut.columns.map((column, at) => [column, row?.[at] ?? null]));
      this.#variables.set(name, isRow ? whole : (row?.[index] ?? null));
    }
  }

  #found(count: number): void {
    this.#affected = count;
    this.#variables.set('found', count > 0);
  }

  #statement({ masked, statement }: StatementPiece) {
    if (
      statement.kind === 'other' &&
      /^\s*(set|comment|analyze|vacuum|lock)\b/i.test(masked.text.slice(statement.start, statement.end))
    )
      return { putOut: { columns: [], rows: [] }, affected: 0 };
    const calls = [statement, ...statement.modifying].flatMap(({ nondeterministic }) => nondeterministic);
    const isAnew = (start: number, end: number): boolean =>
      calls.some((call) => call.family !== 'clock' && start <= call.start && call.end <= end);
    const ran = runStatement(statement, this.tables, this.#variables, { masked, isAnew, ...this.#around });
    this.tables = ran.tables;
    return ran;
  }

  #value({ masked, expression }: ExpressionPiece): Value {
    const scene: Scene = { masked, tables: this.tables, putOut: new Map(), isAnew: () => false, ...this.#around };
    const sight: Sight = { levels: [], variables: this.#variables };
    return runExpression(expression, sight, scene, (query, inner) => runQuery(query, inner, scene));
  }
}
