/** Example files that are not read as Airflow loads them, by version and path, each with the reason. */
export const knownDifferences: Readonly<Record<2 | 3, Readonly<Record<string, string>>>> = { 2: {}, 3: {} };
