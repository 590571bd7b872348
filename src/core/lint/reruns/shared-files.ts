import type { SourceSpan } from '../../text/span.ts';
import type { LintContext } from '../context/lint-context.ts';
import { textAt } from '../context/text-at.ts';
import type { TaskView } from '../source/statement-view.ts';
import { isOneAtATime } from './overlapping-runs.ts';
import { templateTimes } from './times-used.ts';

/** A file that every run of a DAG writes under one name, and that a later task of the run reads. */
export interface SharedFile {
  readonly at: SourceSpan;
  readonly path: string;
}

/** What a shell command writes: `> path`, `-o path`, `--output path`, `tee path`. */
const writes =
  /(?:(?<![0-9&>])>>?\s*|\s(?:-o|-O|--output(?:-document)?|tee(?:\s+-a)?)[\s=]+)(["']?)([\w./-]*[\w-]+\.\w+)\1(?=$|[\s;&|"'\\)])/g;

/** Only files of rows of the run's own interval: of others it makes no difference whose they are. */
export function* sharedFiles(context: LintContext): Generator<SharedFile> {
  for (const task of context.tasks) {
    if (isOneAtATime(task.task)) continue;
    for (const { name, valueAt } of task.task.arguments) {
      if (name !== 'bash_command' || templateTimes(context, valueAt).length === 0) continue;
      for (const match of textAt(context, valueAt).matchAll(writes)) {
        const path = match[2] ?? '';
        if (path.startsWith('/dev/') || !isReadLater(context, task, path)) continue;
        const start = valueAt.start + match.index + match[0].lastIndexOf(path);
        yield { at: { file: valueAt.file, start, end: start + path.length }, path };
      }
    }
  }
}

/** A later task runs the file, or names it. */
function isReadLater(context: LintContext, task: TaskView, path: string): boolean {
  const isFile = (file: string): boolean => file === path || file.endsWith(`/${path}`) || path.endsWith(`/${file}`);
  return context.tasks.some(
    (other) =>
      context.isBefore(task, other) &&
      (other.task.sql.some(({ source }) => source.pieces.some((piece) => isFile(piece.source.file))) ||
        other.task.arguments.some(({ valueAt }) => textAt(context, valueAt).includes(path))),
  );
}
