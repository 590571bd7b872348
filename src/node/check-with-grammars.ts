import type { WorkspaceFacts } from '../core/lineage/workspace-facts.ts';
import { type CheckOptions, startCheck } from '../core/lint/check.ts';
import type { Finding } from '../core/lint/finding.ts';
import type { SqlGrammars } from './sql-grammars.ts';

/** Checks a workspace; the grammars that its findings ask for are loaded first. */
export async function checkWithGrammars(
  facts: WorkspaceFacts,
  grammars: SqlGrammars,
  options: CheckOptions,
): Promise<Finding[]> {
  const started = startCheck(facts, options);
  await grammars.load(started.dialects);
  return started.findings();
}
