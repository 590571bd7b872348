import type { DatabaseDefinitions } from '../../pipeline/model/database-definitions.ts';
import type { WorkspaceReading } from '../../pipeline/model/workspace-reading.ts';
import type { DeclaredFacts } from '../facts/declared-facts.ts';
import type { DeclaredSources } from '../facts/declared-sources.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';
import { createWorkspaceIndex } from './workspace-index.ts';

/** Joins a workspace by its tables, once. */
export const buildWorkspaceFacts = (
  reading: WorkspaceReading,
  declared: DeclaredFacts,
  sources?: DeclaredSources,
  database?: DatabaseDefinitions,
): WorkspaceFacts => createWorkspaceIndex().update(reading, declared, sources, database);
