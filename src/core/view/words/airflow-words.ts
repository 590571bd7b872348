import type { AirflowWord } from '../../pipeline/model/model.ts';

/** What a real Airflow said of a pipeline: `confirmed by Airflow 3.1.0`, `schedule, tasks from Airflow 3.1.0`. */
export function airflowInWords({ version, corrected }: AirflowWord): string {
  if (corrected.length === 0) return `confirmed by Airflow ${version}`;
  return `${corrected.map((fact) => fact.replace('-', ' ')).join(', ')} from Airflow ${version}`;
}
