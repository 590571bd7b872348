import type { Colors } from 'picocolors/types';
import { plural } from '../../../core/text/plural.ts';
import { textTable } from '../text/text-table.ts';
import type { SchedulerReport } from './scheduler-json.ts';

/** Health, version and DAGs for people: what is well in a word, what is not with what to do. */
export function schedulerText(report: SchedulerReport, width: number, colors: Colors): string {
  const { name, version, target, starts, troubles, dags } = report;
  const health =
    starts && troubles.length === 0 ? colors.green('healthy') : colors.red(troubles.join(', ') || 'starts nothing');
  const head = `${colors.bold('scheduler')}  ${name}: Airflow ${version} at ${target}, ${health}`;
  const rows = dags.map(({ dag, differences }) => [
    dag,
    differences.length === 0 ? colors.green('as here') : colors.yellow(differences.map(({ code }) => code).join(', ')),
  ]);
  const table =
    rows.length === 0
      ? []
      : textTable([{ title: 'dag' }, { title: 'deployed' }], rows, { width, paintTitle: colors.bold });
  const lines = dags
    .flatMap(({ differences }) => differences)
    .flatMap(({ code, message, remedy, stops }) => [
      `${stops ? colors.red('error') : colors.yellow('warning')} ${colors.bold(code)}  ${message}`,
      `  ${colors.green('help')} ${remedy}`,
    ]);
  const well = dags.filter(({ differences }) => differences.length === 0).length;
  const total = `${well} of ${plural(dags.length, 'DAG')} as deployed`;
  return `${[[head], table, lines, [total]]
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')}\n`;
}
