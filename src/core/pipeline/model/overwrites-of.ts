import type { TaskSql } from './model.ts';

/**
 * What an INSERT OVERWRITE of a text replaces where it names no partition: the whole table, or the partitions that get
 * rows. The settings of the Python that sends it say so, else a SET of the text itself; Spark's default is static.
 */
export function overwritesOf({
  overwrites,
  dialect,
  source,
}: Pick<TaskSql, 'overwrites' | 'dialect' | 'source'>): NonNullable<TaskSql['overwrites']> {
  if (overwrites !== undefined) return overwrites;
  if (dialect !== 'spark') return 'static';
  return overwritesSet(source.text) ?? 'static';
}

/** What the last SET of Spark SQL says of it. */
export function overwritesSet(text: string): 'static' | 'dynamic' | undefined {
  const found = [...text.matchAll(/\bset\s+spark\.sql\.sources\.partitionOverwriteMode\s*=\s*(\w+)/gi)].at(-1);
  if (found === undefined) return undefined;
  return found[1]?.toLowerCase() === 'dynamic' ? 'dynamic' : 'static';
}
