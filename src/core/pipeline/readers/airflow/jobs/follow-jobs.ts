import { plainText } from '../../../python/values/text-value.ts';
import type { ClockSite } from '../../../python/values/value.ts';
import { noteUnread, reasonFor } from '../callables/note-unread.ts';
import type { Program } from '../program/program.ts';
import { findScript } from './find-script.ts';
import { type FollowingScripts, followScript } from './follow-script.ts';
import { submittedBy } from './submitted.ts';

/** Follows the scripts that tasks have Spark run, with the arguments that they are given. The clock calls they have. */
export function followJobs(program: Program, following: FollowingScripts): readonly ClockSite[] {
  const clocks: ClockSite[] = [];
  for (const task of program.tasks) {
    const jobs = submittedBy(task);
    program.running = task;
    for (const { script, given, more, byPython } of jobs) {
      const path = plainText(script) ?? (script.kind === 'text' ? script.mapped.text : undefined);
      const found =
        path === undefined
          ? { reason: reasonFor(script, 'its script is known at run time only') }
          : findScript(path, following.files);
      // Python runs other things as well.
      if (byPython && !('file' in found && namesSpark(following.files.read(found.file)))) continue;
      if ('reason' in found) {
        noteUnread(program, 'code', `it runs a Spark job: ${found.reason}`, task.nameAt);
        continue;
      }
      if (more) noteUnread(program, 'code', 'it runs a shell command', task.nameAt);
      task.scripts.push(found.file);
      task.rendersTexts = true;
      clocks.push(...followScript(task, found.file, given, following));
    }
    program.running = undefined;
  }
  return clocks;
}

const namesSpark = (text: string | undefined): boolean => /\bpyspark\b/.test(text ?? '');
