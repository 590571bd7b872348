/** What a lens hands to a command: the document and the task, never "the active editor". */
export interface TaskReference {
  readonly uri: string;
  readonly task: string;
}

export const isTaskReference = (argument: unknown): argument is TaskReference =>
  typeof argument === 'object' && argument !== null && 'uri' in argument && 'task' in argument;
