import type { TaskId } from '../../core/pipeline/model/model.ts';
import { sessionInWords } from '../../core/view/words/session-words.ts';
import type { Workspace } from '../../node/load-workspace.ts';

/** What the operators of a workspace's tasks say of their sessions, in words. */
export const sessionOf =
  ({ facts }: Workspace) =>
  (task: TaskId): readonly string[] => {
    const found = facts.tasks.get(task)?.task;
    return found === undefined ? [] : sessionInWords(found);
  };
