import type { WorkspaceFacts } from '../src/core/lineage/facts/workspace-facts.ts';
import { buildWorkspaceFacts } from '../src/core/lineage/workspace/build-workspace-facts.ts';
import type { FileSet } from '../src/core/pipeline/model/model.ts';
import { createWorkspaceReader } from '../src/core/pipeline/workspace/read-workspace.ts';
import type { PlannableTask } from '../src/core/plan/model/plan-request.ts';
import { plannableTasks } from '../src/core/plan/tasks/plannable-tasks.ts';
import { emptyConfig } from '../src/node/config/config.ts';
import { digest } from '../src/node/digest.ts';
import { readerOptions } from '../src/node/load-workspace.ts';
import { loadPythonParser } from '../src/node/python-parser.ts';

export interface MemoryWorkspace {
  readonly facts: WorkspaceFacts;
  readonly tasks: readonly PlannableTask[];
}

/** A workspace of texts, read as the product reads folders. */
export async function memoryWorkspace(texts: Readonly<Record<string, string>>): Promise<MemoryWorkspace> {
  const all = new Map(Object.entries({ 'requirements.txt': 'apache-airflow==2.10.4\n', ...texts }));
  const files: FileSet = { paths: () => [...all.keys()], read: (path) => all.get(path) };
  const reader = createWorkspaceReader(await loadPythonParser(), readerOptions(emptyConfig));
  const facts = buildWorkspaceFacts(reader.read(files), new Map());
  return { facts, tasks: plannableTasks(facts, digest) };
}
