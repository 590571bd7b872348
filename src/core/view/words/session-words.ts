import type { DriverParameters } from '../../pipeline/model/driver-parameters.ts';
import type { Task } from '../../pipeline/model/model.ts';
import { driverLiteral } from '../../run/bind/driver-literal.ts';
import type { PythonValue } from '../../template/python/python-value.ts';
import { Refusal } from '../../template/python/refusal.ts';

/** Where and how the SQL of a task is sent beside its connection, as its operator says it; empty where it says nothing. */
export function sessionInWords({ session, autocommit, sql }: Task): readonly string[] {
  const parameters = sql.find((text) => text.parameters !== undefined)?.parameters;
  return [
    ...(session?.database === undefined ? [] : [`database ${session.database.value}`]),
    ...(session?.settings ?? []).map(({ name, value }) => `${name} = ${value}`),
    ...(autocommit?.value === true ? ['autocommit'] : []),
    ...(parameters === undefined ? [] : [`parameters ${parametersInWords(parameters)}`]),
  ];
}

/** As data: values as the driver writes them, templates as they stand. */
export function sessionData({ session, autocommit, sql }: Task): object | undefined {
  const parameters = sql.find((text) => text.parameters !== undefined)?.parameters;
  if (session === undefined && parameters === undefined && autocommit?.value !== true) return undefined;
  return {
    database: session?.database?.value ?? null,
    settings: Object.fromEntries((session?.settings ?? []).map(({ name, value }) => [name, value])),
    autocommit: autocommit?.value ?? false,
    parameters: parameters === undefined ? null : entriesOf(parameters),
  };
}

const parametersInWords = (parameters: DriverParameters): string => {
  const entries = entriesOf(parameters);
  return Array.isArray(entries)
    ? entries.join(', ')
    : Object.entries(entries)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', ');
};

function entriesOf({ values }: DriverParameters): readonly string[] | Readonly<Record<string, string>> {
  if (values.kind !== 'dict') return values.items.map(written);
  return Object.fromEntries([...values.entries.values()].map(([name, value]) => [String(name), written(value)]));
}

function written(value: PythonValue): string {
  try {
    return driverLiteral(value).trim();
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
