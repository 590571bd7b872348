import type { Plan } from '../../../core/plan/model/plan.ts';
import { planJson } from '../../../core/plan/plan-json.ts';
import { recordJson } from '../../../core/run/stored/run-json.ts';
import { reportHtml } from '../../../core/view/report/report-html.ts';
import { reportMarkdown } from '../../../core/view/report/report-markdown.ts';
import type { WorkspaceApi } from '../workspace-api.ts';

/** A run or a preview as a file to hand on, named for what it is. `plan`: absent where the page has another one by now. */
export function reportFile(
  plan: Plan | undefined,
  title: string,
  { format, target, run, preview, results }: Parameters<WorkspaceApi['report']>[0],
): { readonly name: string; readonly text: string } {
  const name = preview ? 'backfill-preview' : `backfill-${run ?? 'plan'}`;
  const input = { title, target, run, preview, results };
  if (format === 'markdown') return { name: `${name}.md`, text: reportMarkdown(input) };
  if (format === 'html') return { name: `${name}.html`, text: reportHtml(input) };
  const json = {
    version: 1,
    runId: preview ? null : (run ?? null),
    target,
    plan: plan === undefined ? null : planJson(plan),
    units: results.map(recordJson),
  };
  return { name: `${name}.json`, text: `${JSON.stringify(json, undefined, 2)}\n` };
}
