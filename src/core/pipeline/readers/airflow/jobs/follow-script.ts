import type { FileSet } from '../../../model/model.ts';
import type { ReaderOptions } from '../../../model/reader-options.ts';
import { FollowedFile } from '../../../python/interpreter.ts';
import type { SyntaxTree } from '../../../python/syntax/syntax-tree.ts';
import type { ClockSite } from '../../../python/values/value.ts';
import { noteUnread } from '../callables/note-unread.ts';
import { newProgram, type TaskBuilder } from '../program/program.ts';
import type { JobArguments } from './job-arguments.ts';
import { giveSettings, jobHost, jobNames } from './job-host.ts';

/** What files are followed with. */
export interface FollowingScripts {
  readonly files: FileSet;
  readonly parse: (file: string, text: string) => SyntaxTree;
  readonly options: ReaderOptions;
}

/** Follows a script as what a task does; what it reads and writes is noted with the task. The clock calls it has. */
export function followScript(
  task: TaskBuilder,
  file: string,
  given: JobArguments,
  { files, parse, options }: FollowingScripts,
): readonly ClockSite[] {
  const text = files.read(file);
  if (text === undefined) return [];
  const program = newProgram(file);
  program.running = task;
  // No module is shared: it may have arguments of this one run.
  const run = new FollowedFile(files, jobHost(program, given, file, text), parse, options.parseYaml);
  program.isCertain = () => run.uncertainty === 0;
  program.conditions = () => run.path;
  program.isRepeated = () => run.loops > 0;
  const tree = parse(file, text);
  giveSettings(given, run);
  run.execute(file, text, tree, jobNames(given));
  if (tree.firstError !== undefined)
    noteUnread(program, 'code', 'it is not valid Python to its end', { file, ...tree.firstError });
  if (run.exhausted)
    noteUnread(program, 'code', 'the script is too large to follow to its end', { file, start: 0, end: 0 });
  return run.clockSites;
}
