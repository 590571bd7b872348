import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { lineIndex } from '../../text/line-index.ts';
import type { Position, SourceSpan } from '../../text/span.ts';
import { scheduleInWords } from '../../time/schedules/schedule-words.ts';
import { sliceInWords, windowInWords } from '../facts/window-words.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';
import { taskParents } from './task-parents.ts';

/** The `show` contract of the command line. */
export interface FactJson {
  readonly version: 1;
  readonly pipelines: readonly {
    readonly id: string;
    readonly file: string;
    readonly schedule: string;
    readonly timeZone: string;
    readonly tasks: readonly {
      readonly id: string;
      /** 1-based; `undefined` where the text is not at hand. */
      readonly range: { readonly start: Position; readonly end: Position } | undefined;
      /** Of its first write; `none` for a task that writes nothing. */
      readonly writeMode: string;
      readonly reads: readonly { readonly table: string; readonly window: string; readonly from: string }[];
      readonly writes: readonly {
        readonly table: string;
        readonly column: string | null;
        readonly slice: string;
        readonly mode: string;
        readonly key: readonly string[];
      }[];
      readonly executor: string;
      readonly parents: readonly string[];
    }[];
  }[];
}

/** Facts in words. Parents are the tasks that come before one: by order, or because they write what it reads. */
export function factJson(facts: WorkspaceFacts): FactJson {
  const indexes = new Map<string, ReturnType<typeof lineIndex>>();
  const range = ({ file, start, end }: SourceSpan): FactJson['pipelines'][number]['tasks'][number]['range'] => {
    const text = facts.text(file);
    if (text === undefined) return undefined;
    const index = indexes.get(file) ?? lineIndex(text);
    indexes.set(file, index);
    return { start: index.position(start), end: index.position(end) };
  };
  const taskJson = (task: Task): FactJson['pipelines'][number]['tasks'][number] => {
    const { reads = [], writes = [] } = facts.facts.get(task.id) ?? {};
    return {
      id: task.id,
      range: range(task.at),
      writeMode: writes[0]?.mode ?? 'none',
      reads: reads.map(({ table, window, provenance }) => ({ table, window: windowInWords(window), from: provenance })),
      writes: writes.map(({ table, slice, mode, key }) => ({
        table,
        column: slice.kind === 'range' ? slice.column : null,
        slice: sliceInWords(slice),
        mode,
        key,
      })),
      executor: task.executor.kind,
      parents: taskParents(facts, task.id).after,
    };
  };
  return {
    version: 1,
    pipelines: facts.pipelines.map((pipeline: Pipeline) => ({
      id: pipeline.id,
      file: pipeline.file,
      schedule: scheduleInWords(pipeline.schedule.value),
      timeZone: pipeline.zone,
      tasks: pipeline.tasks.map(taskJson),
    })),
  };
}
