import type { Problem } from '../../core/text/span.ts';
import { didYouMean } from '../nearest-names.ts';
import type { Config } from './config.ts';

/** DAGs of which the configuration says when they run, and that no file has. */
export function unknownDags(
  { dags, file }: Pick<Config, 'dags' | 'file'>,
  pipelines: readonly { readonly id: string }[],
): readonly Problem[] {
  const names = pipelines.map(({ id }) => id);
  return Object.keys(dags)
    .filter((id) => !names.includes(id))
    .map((id) => ({
      message: `dags: no file has a DAG ${id}${didYouMean(id, names)}.`,
      at: { file, start: 0, end: 0 },
      severity: 'warning',
    }));
}
