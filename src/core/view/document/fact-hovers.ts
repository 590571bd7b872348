import type { ReadFact, TaskFacts, WriteFact } from '../../lineage/facts/facts.ts';
import { sliceInWords } from '../../lineage/facts/window-words.ts';
import type { Task } from '../../pipeline/model/model.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import { originInWords } from '../words/fact-origin.ts';
import { escapeMarkdown } from '../words/markdown.ts';
import { windowLabel } from '../words/window-label.ts';
import type { HoverView } from './document-view.ts';
import type { PlaceLink } from './hover-links.ts';
import { sliceLabel } from './slice-hints.ts';

/** What facts are said with. */
export interface FactContext {
  readonly task: Task;
  readonly data: DataInterval | undefined;
  readonly zone: ZoneName;
  readonly link: PlaceLink;
}

/** A read with its window and where both were said, as Markdown. */
export function readLine(read: ReadFact, { task, data, zone, link }: FactContext): string {
  const window = escapeMarkdown(windowLabel(read.window, data, zone));
  return `Reads \`${read.table}\` — ${window} — ${origin(read, task, link)}`;
}

/** A write with mode, slice and key, and where it was said, as Markdown. */
export function writeLine(write: WriteFact, { task, data, zone, link }: FactContext): string {
  const label = escapeMarkdown(sliceLabel(write, data, zone));
  const said = write.slice.kind === 'range' ? `, in words ${escapeMarkdown(sliceInWords(write.slice))}` : '';
  const key = write.key.length === 0 ? '' : `, key ${write.key.map((column) => `\`${column}\``).join(', ')}`;
  return `Writes \`${write.table}\` — ${write.mode}, ${label}${said}${key} — ${origin(write, task, link)}`;
}

function origin(fact: ReadFact | WriteFact, task: Task, link: PlaceLink): string {
  const words = escapeMarkdown(originInWords(fact, task));
  return fact.at === undefined ? words : `${words}, ${link(fact.at)}`;
}

/** Over the name of a table that a task reads or writes, and over the condition that cuts it: its window or slice. */
export function factHovers(file: string, { reads, writes }: TaskFacts, context: FactContext): readonly HoverView[] {
  const over = (places: readonly (SourceSpan | undefined)[], line: string): readonly HoverView[] =>
    places.flatMap((at) =>
      at?.file === file ? [{ at, markdown: `${line}\n\n*${escapeMarkdown(context.task.id)}*` }] : [],
    );
  return [
    ...reads.flatMap((read) => over([read.at, read.windowAt], readLine(read, context))),
    ...writes.flatMap((write) => over([write.at, write.sliceAt], writeLine(write, context))),
  ];
}
