import type { Colors } from 'picocolors/types';
import { tableNames } from '../../../core/lineage/workspace/find-table.ts';
import { draftDeclaration } from '../../../core/view/document/draft-declaration.ts';
import { readingSummary, summaryInWords } from '../../../core/view/words/reading-summary.ts';
import { declarationYaml } from '../../../node/config/add-declaration.ts';
import { rangeFinder } from '../check/findings-range.ts';
import { factsOf, type ShowReport } from './show-report.ts';
import { placeInWords } from './show-text.ts';

/** Only what is not known, with its places, and the entries of `backfill.yaml` that settle it. */
export function showUnknownText(report: ShowReport, colors: Colors): string {
  if (report.pipelines.length === 0) return 'no pipelines were found\n';
  const ranges = rangeFinder(report.text);
  const summary = `${summaryInWords(readingSummary(report.pipelines, report.facts))}\n`;
  const open = report.pipelines
    .flatMap(({ tasks }) => tasks)
    .filter((task) => factsOf(report, task).unknowns.length > 0);
  if (open.length === 0) return summary;
  const tasks = open.map((task) => {
    const lines = factsOf(report, task).unknowns.map(({ message, at = task.nameAt }) => {
      return `  ${message}  ${colors.dim(placeInWords(report, ranges, at))}\n`;
    });
    return `${colors.cyan(task.id)}\n${lines.join('')}`;
  });
  const names = tableNames(report.facts.tables.keys());
  const drafts = open.map(({ id }) => draftDeclaration(id, report.facts, names));
  return `${tasks.join('')}\n${summary}\nFill in what is left open and put this into backfill.yaml:\n\n${declarationYaml(drafts)}`;
}
