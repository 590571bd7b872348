import { locate } from '../../text/mapped-text.ts';
import type { Problem } from '../../text/span.ts';
import type { FileReading } from '../model/model.ts';

/** What was read, with a quiet word at each statement that breaks off: rules say nothing of it until it is whole. */
export function withBrokenSql<T extends Pick<FileReading, 'pipelines' | 'problems'>>(reading: T): T {
  const problems: Problem[] = [];
  for (const { tasks } of reading.pipelines)
    for (const { sql } of tasks)
      for (const { source, reading: read } of sql)
        for (const { unfinished } of read.statements) {
          const at = unfinished && locate(source, unfinished);
          if (unfinished === undefined || at === undefined) continue;
          const text = source.text.slice(unfinished.start, unfinished.end);
          problems.push({ message: `This statement breaks off behind "${text}".`, at, severity: 'info' });
        }
  return problems.length === 0 ? reading : { ...reading, problems: [...reading.problems, ...problems] };
}
