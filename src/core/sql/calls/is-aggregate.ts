const names = new Set([
  ...['count', 'sum', 'min', 'max', 'avg', 'bool_and', 'bool_or', 'every', 'any_value', 'string_agg', 'array_agg'],
  ...['percentile_cont', 'percentile_disc', 'median', 'stddev', 'variance', 'mode'],
]);

/** Whether a function of this name, in lower case and without a schema, makes one value of the rows of a group. */
export const isAggregate = (name: string): boolean => names.has(name);
