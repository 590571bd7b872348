import type { Call, Interpreter, Value } from '../../python/values/value.ts';
import { functionCall, functionNames, windowCall } from './columns/functions.ts';
import { deltaTable } from './sources/delta-table.ts';
import { glueCall, glueContext } from './sources/glue.ts';
import { builder, session } from './sources/session.ts';

/** Names that `from pyspark.sql.functions import *` brings along. */
export const sparkStarNames = (module: string): readonly string[] =>
  module === 'pyspark.sql.functions' ? functionNames : module === 'pyspark.sql' ? ['SparkSession', 'Window'] : [];

/** A call of a name of Spark's libraries; `undefined` for all others. */
export function sparkCall(name: string, call: Call, run: Interpreter): Value | undefined {
  if (!/^(?:pyspark|delta|awsglue|databricks)\b/.test(name)) return undefined;
  const [, made] = /^pyspark\.sql(?:\.session|\.connect\.session)?\.SparkSession\.builder\.(\w+)$/.exec(name) ?? [];
  if (made !== undefined) return chained(made, call, run);
  if (/^databricks\.connect\.DatabricksSession\.builder\.\w+$/.test(name))
    return chained(name.slice(name.lastIndexOf('.') + 1), call, run);
  if (/\.SparkSession\.(?:getActiveSession|builder)$/.test(name)) return session;
  if (/^pyspark\.sql(?:\.\w+)?\.(?:SparkSession|SQLContext|HiveContext)$/.test(name)) return session;
  if (/^awsglue\.(?:context\.)?GlueContext$/.test(name)) return glueContext;
  const [, fn] = /^pyspark\.sql\.functions\.(\w+)$/.exec(name) ?? [];
  if (fn !== undefined) return functionCall(fn, call, run);
  const [, window] = /^pyspark\.sql(?:\.window)?\.Window\.(\w+)$/.exec(name) ?? [];
  if (window !== undefined) return windowCall(window, call, run);
  const [, delta] = /^delta(?:\.tables|\.pip_utils)?\.DeltaTable\.(\w+)$/.exec(name) ?? [];
  if (delta !== undefined) return deltaTable(delta, call, run);
  // It hands the builder on.
  if (name === 'delta.configure_spark_with_delta_pip') return call.positional[0];
  return name.startsWith('awsglue.') ? glueCall(name, call) : undefined;
}

function chained(name: string, call: Call, run: Interpreter): Value | undefined {
  const start = builder();
  const method = start.kind === 'host' ? start.host.attribute?.(name, call.at, run) : undefined;
  return method?.kind === 'host' ? method.host.call?.(call, run) : undefined;
}
