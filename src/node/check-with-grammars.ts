import type { WorkspaceFacts } from '../core/lineage/facts/workspace-facts.ts';
import { type CheckOptions, createWorkspaceChecker, type WorkspaceChecker } from '../core/lint/check.ts';
import type { Finding } from '../core/lint/model/finding.ts';
import type { SqlGrammars } from './sql-grammars.ts';

/** Checks a workspace; the grammars that its findings ask for are loaded first. */
export async function checkWithGrammars(
  facts: WorkspaceFacts,
  grammars: SqlGrammars,
  options: CheckOptions,
  checker: WorkspaceChecker = createWorkspaceChecker(),
): Promise<Finding[]> {
  const started = checker.start(facts, options);
  await grammars.load(started.dialects);
  return started.findings();
}
