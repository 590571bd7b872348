import type { WorkspaceFacts } from '../lineage/facts/workspace-facts.ts';
import type { Task, TaskId } from '../pipeline/model/model.ts';
import { locate } from '../text/mapped-text.ts';
import type { SourceSpan } from '../text/span.ts';
import { makeSafe, type SafeTask } from './make-safe.ts';

/**
 * What can be done for the tasks that a place of a file is about: at their name, or at the head of a statement that writes
 * a table. Tasks that write nothing and those that are safe have nothing to offer; tasks of one text are one.
 */
export function safeTasksAt(
  facts: WorkspaceFacts,
  place: SourceSpan,
): readonly { readonly task: TaskId; readonly safe: Exclude<SafeTask, { readonly kind: 'safe' }> }[] {
  const found = new Map<string, { task: TaskId; safe: Exclude<SafeTask, { readonly kind: 'safe' }> }>();
  for (const [id, { task }] of facts.tasks) {
    if ((facts.facts.get(id)?.writes.length ?? 0) === 0 || !isAbout(task, place)) continue;
    const safe = makeSafe(facts, id);
    if (safe.kind === 'safe') continue;
    const key = JSON.stringify(safe.kind === 'edit' ? safe.edits : safe);
    if (!found.has(key)) found.set(key, { task: id, safe });
  }
  return [...found.values()];
}

const isAbout = (task: Task, place: SourceSpan): boolean =>
  meets(task.nameAt, place) ||
  task.sql.some(({ source, reading }) =>
    reading.statements.some(
      ({ targets, head }) => targets.length > 0 && meets(locate(source, head) ?? task.nameAt, place),
    ),
  );

const meets = (a: SourceSpan, b: SourceSpan): boolean => a.file === b.file && a.start <= b.end && b.start <= a.end;
