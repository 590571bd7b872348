import type { DialectName } from '../../../../sql/model/dialect-name.ts';
import { type DriverParameters, templatesIn } from '../../../model/driver-parameters.ts';
import { truthOf } from '../../../python/values/make-value.ts';
import { booleanOf } from '../program/arguments.ts';
import { type TaskBuilder, taskArgument } from '../program/program.ts';
import { templateEnvironment } from '../templates/template-environment.ts';
import { driverValue } from './driver-value.ts';

type Files = Parameters<typeof templateEnvironment>[2];

/**
 * The values that an operator gives its driver with the SQL, or why a run from here cannot give it the same; `undefined`
 * where there are none: an empty dict or list is not handed on, and then a percent sign is one.
 */
export function driverParameters(
  task: TaskBuilder,
  dialect: DialectName,
  endings: readonly string[],
  files: Files,
): DriverParameters | { readonly reason: string } | undefined {
  const given = taskArgument(task, 'parameters');
  if (given === undefined || truthOf(given.value) === false) return undefined;
  if (dialect !== 'postgres') return { reason: `how its driver puts parameters into SQL is known for PostgreSQL only` };
  if (given.value.kind === 'text') return { reason: 'its parameters are a text, which Airflow reads as Python' };
  const known = driverValue(given.value);
  if ('reason' in known) return { reason: `its parameters are not known before it runs: ${known.reason}` };
  const { value: values } = known;
  if (typeof values !== 'object' || values === null || !isArguments(values))
    return { reason: 'its parameters are neither a dict nor a list' };
  const texts = templatesIn(values);
  const file = texts.find((text) => endings.some((ending) => text.endsWith(ending)));
  if (file !== undefined)
    return { reason: `Airflow takes ${JSON.stringify(file)} among its parameters for the name of a template file` };
  const environment = templateEnvironment(texts.join('\n'), task, files);
  const perStatement = booleanOf(taskArgument(task, 'split_statements'))?.value === true;
  return { values, at: given.at, perStatement, ...(environment === undefined ? {} : { environment }) };
}

const isArguments = (value: { readonly kind: string }): value is DriverParameters['values'] =>
  value.kind === 'dict' || value.kind === 'list' || value.kind === 'tuple';
