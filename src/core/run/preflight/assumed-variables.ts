import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { Plan, PlanFinding } from '../../plan/model/plan.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { AssumedVariable, TemplateContext } from '../../template/render/template-context.ts';
import { taskContext } from '../jobs/task-context.ts';

/**
 * Tasks whose SQL takes the default of a Variable that `backfill.yaml` does not give: Airflow takes its own value where it has
 * one, and the rows would be others. Looked up in the first unit of each task.
 */
export function assumedVariables(
  plan: Plan,
  { tasks }: Pick<WorkspaceFacts, 'tasks'>,
  given: Pick<TemplateContext, 'variables' | 'params'>,
): readonly PlanFinding[] {
  return [...plan.byTask].flatMap(([id, [first = -1]]): readonly PlanFinding[] => {
    const [unit, known] = [plan.units[first], tasks.get(id)];
    if (unit?.executor.kind !== 'warehouse' || known === undefined) return [];
    const context = taskContext(known.task, known.pipeline, unit.data, given);
    const assumed = new Map<string, AssumedVariable>();
    for (const { source, environment } of known.task.sql) {
      const rendered = renderTemplate(source.text, context, environment);
      if (rendered.ok) for (const one of rendered.assumed ?? []) assumed.set(one.name, one);
    }
    return [...assumed.values()].map(({ name, value }) => ({
      code: 'assumed-variable',
      severity: 'warning',
      message: `${id} takes the default ${JSON.stringify(value)} of the Variable ${JSON.stringify(name)}, which has no value here; where Airflow has one, its own runs take that. Give it under variables in backfill.yaml.`,
      task: id,
    }));
  });
}
