import type { Colors } from 'picocolors/types';
import { tableNames } from '../../../core/lineage/workspace/find-table.ts';
import type { Task, TaskId } from '../../../core/pipeline/model/model.ts';
import { plural } from '../../../core/text/plural.ts';
import type { SourceSpan } from '../../../core/text/span.ts';
import { draftDeclaration } from '../../../core/view/document/draft-declaration.ts';
import { readingSummary, summaryInWords } from '../../../core/view/words/reading-summary.ts';
import { declarationYaml } from '../../../node/config/edit/add-declaration.ts';
import { rangeFinder } from '../check/findings-range.ts';
import { factsOf, type ShowReport } from './show-report.ts';
import { placeInWords } from './show-text.ts';

/** Tasks of one unknown that are called by name. */
const mostNamed = 5;

interface UnknownOnce {
  readonly message: string;
  readonly at: SourceSpan;
  /** Tasks of which it is said. */
  readonly of: readonly TaskId[];
  /** How many of them would be known whole without it. */
  readonly frees: number;
  /** The same of other files. */
  readonly more: number;
}

/** What is not known, each thing of a place once, whatever tasks it stands in the way of; the most useful first. */
function unknownOnce(report: ShowReport, open: readonly Task[]): readonly UnknownOnce[] {
  const found = new Map<string, UnknownOnce>();
  for (const task of open) {
    const { unknowns } = factsOf(report, task);
    const pipeline = report.facts.tasks.get(task.id)?.pipeline.id;
    for (const { message, at = task.nameAt, searchPath } of unknowns) {
      // One line of the DAG settles all files of a folder.
      const place = searchPath === undefined ? [message, at.file, at.start] : [pipeline, ...searchPath];
      const key = JSON.stringify(place);
      const known = found.get(key);
      const more = (known?.more ?? 0) + (known === undefined || known.message === message ? 0 : 1);
      if (known?.of.includes(task.id) === true) {
        found.set(key, { ...known, more });
        continue;
      }
      const frees = (known?.frees ?? 0) + (unknowns.length === 1 ? 1 : 0);
      const first = { message: known?.message ?? message, at: known?.at ?? at };
      found.set(key, { ...first, of: [...(known?.of ?? []), task.id], frees, more });
    }
  }
  return [...found.values()].sort((a, b) => b.frees - a.frees || b.of.length - a.of.length);
}

/** Only what is not known, with its places, and the entries of `backfill.yaml` that settle it. */
export function showUnknownText(report: ShowReport, colors: Colors): string {
  if (report.pipelines.length === 0) return 'no pipelines were found\n';
  const ranges = rangeFinder(report.text);
  const summary = `${summaryInWords(readingSummary(report.pipelines, report.facts))}\n`;
  const open = report.pipelines
    .flatMap(({ tasks }) => tasks)
    .filter((task) => factsOf(report, task).unknowns.length > 0);
  if (open.length === 0) return summary;
  const tasks = unknownOnce(report, open).map(({ message: first, at, of, frees, more }) => {
    const message = more === 0 ? first : `${first} So ${more === 1 ? 'is' : 'are'} ${plural(more, 'file')} more.`;
    const shown = of.length > mostNamed ? [...of.slice(0, mostNamed), `${of.length - mostNamed} more`] : of;
    const freed = of.length < 2 || frees === 0 ? '' : `  ${plural(frees, 'task')} with nothing else unknown`;
    return `${colors.cyan(shown.join(', '))}${colors.dim(freed)}\n  ${message}  ${colors.dim(placeInWords(report, ranges, at))}\n`;
  });
  const names = tableNames(report.facts.tables.keys());
  const drafts = open.map(({ id }) => draftDeclaration(id, report.facts, names));
  return `${tasks.join('')}\n${summary}\nFill in what is left open and put this into backfill.yaml:\n\n${declarationYaml(drafts)}`;
}
