import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { previousTick } from '../../time/intervals/previous-tick.ts';

/**
 * What a task's templates may ask for in one interval; params of `backfill.yaml` go over those of the file, and what it
 * says of one DAG over what it says of all.
 */
export const taskContext = (
  task: Task,
  pipeline: Pipeline,
  interval: DataInterval,
  { variables, params }: Pick<TemplateContext, 'variables' | 'params'>,
): TemplateContext => ({
  interval,
  zone: pipeline.zone,
  dagId: pipeline.id,
  taskId: task.name,
  params: { ...task.params, ...params, ...pipeline.given?.params },
  variables: { ...variables, ...pipeline.given?.variables },
  conf: pipeline.schedule.value.kind === 'none' ? 'unknown' : undefined,
  airflowVersion: pipeline.airflowVersion,
  previousTick: () => previousTick(pipeline.schedule.value, interval.start),
});
