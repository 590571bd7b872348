import type { LintContext } from '../lint/context/lint-context.ts';
import { editSql, indentAt, statementEnd } from '../lint/fixes/sql-edit.ts';
import { type StatementView, sourceText, type TaskView } from '../lint/source/statement-view.ts';
import { guardPart } from '../sql/names/slice-guard.ts';
import type { Span, TextEdit } from '../text/span.ts';
import { commitSlice, guardBegin, guardCommit, installedCheck } from './guard-text.ts';
import { Refusal } from './refusal.ts';
import type { Replacement } from './replaced-slice.ts';

/** The parts of a guard and of a transaction around it. */
export type Part = Partial<Record<'begin' | 'installed' | 'open' | 'close' | 'commit', StatementView>>;

/** The guard that the task has already, and its own statements, without a transaction of its own around them. */
export function parted({ statements }: TaskView): { readonly part: Part; readonly own: readonly StatementView[] } {
  const part: Part = {};
  const own: StatementView[] = [];
  for (const [at, view] of statements.entries()) {
    const { kind } = view.statement;
    const known = guardPart(view.sql.masked.text, view.statement);
    if (known !== undefined) part[({ installed: 'installed', begin: 'open', commit: 'close' } as const)[known]] = view;
    else if (kind === 'begin' && at === 0) part.begin = view;
    else if (kind === 'commit' && at === statements.length - 1) part.commit = view;
    else own.push(view);
  }
  return { part, own };
}

/** What a guarded task is made of: what there is of it, the call that opens its slice, and a DELETE that it lacks. */
export interface Pieces {
  readonly part: Part;
  readonly own: readonly StatementView[];
  readonly begin: string;
  readonly deletion: Replacement['deletion'];
}

/** The edits that put the guard around a task, or bring one that is there up to date; none where it is already. */
export function guardEdits(context: LintContext, { part, own, begin, deletion }: Pieces): readonly TextEdit[] {
  const [first] = own;
  const last = own.at(-1);
  if (first === undefined || last === undefined)
    throw new Refusal('it has no statement of its own', 'give the task a statement');
  const edits: (readonly [StatementView, Span & { readonly newText: string }])[] = [];
  const put = (at: StatementView, span: Span, newText: string): void => void edits.push([at, { ...span, newText }]);
  const replace = (old: StatementView, text: string): void => {
    const span = { start: old.statement.start, end: statementEnd(old).offset };
    const indented = indentedAt(old, text);
    if (flat(sourceText(old, span)) !== flat(indented)) put(old, span, indented);
  };
  const opened = part.open !== undefined && part.close !== undefined && part.installed !== undefined;
  if (!opened && (part.open ?? part.close ?? part.installed) !== undefined)
    throw new Refusal(
      'it has a part of what makes it safe, but not all',
      'take begin_slice and commit_slice out of it, then make it safe anew',
    );
  if (opened && (part.begin === undefined || part.commit === undefined))
    throw new Refusal(
      'begin_slice and commit_slice are not inside one transaction',
      `write ${guardBegin} first and ${guardCommit} last`,
    );

  const head = [...(part.begin ? [] : [guardBegin]), ...(opened ? [] : [installedCheck, begin])];
  if (part.begin) replace(part.begin, guardBegin);
  if (part.open) replace(part.open, begin);
  const before = (at: StatementView, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    const { start } = at.statement;
    const indent = indentOf(at);
    put(at, { start, end: start }, lines.map((line) => `${indentedAt(at, line)}\n${indent}`).join(''));
  };
  if (deletion?.before === first) before(first, [...head, deletion.sql]);
  else {
    before(first, head);
    if (deletion) before(deletion.before, [deletion.sql]);
  }
  const tail = [...(opened ? [] : [commitSlice]), ...(part.commit ? [] : [guardCommit])];
  if (tail.length > 0) {
    const end = statementEnd(last);
    const indent = indentOf(last);
    put(
      last,
      { start: end.offset, end: end.offset },
      `${end.terminated ? '' : ';'}${tail.map((line) => `\n${indent}${line}`).join('')}`,
    );
  }
  const made = edits.map(([at, edit]) => editSql(context, at, [edit]));
  if (made.some((one) => one === undefined))
    throw new Refusal(
      'its SQL is put together by Python, or has quotes or escapes that its string cannot repeat',
      'write it as a .sql file, or as one text in triple quotes without escapes',
    );
  return made.flatMap((one) => one ?? []);
}

const indentOf = ({ sql, statement }: StatementView): string => indentAt(sql.source.text, statement.start);

const indentedAt = (view: StatementView, text: string): string => text.replaceAll('\n', `\n${indentOf(view)}`);

const flat = (text: string): string => text.replace(/\s+/g, ' ');
