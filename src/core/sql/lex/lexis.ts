import type { DialectName } from '../model/dialect-name.ts';

/** What differs between dialects below the level of words. */
export interface Lexis {
  /** `"x"` is a string, not an identifier. */
  readonly doubleQuotedStrings: boolean;
  readonly backslashEscapes: boolean;
  readonly nestedComments: boolean;
  readonly hashComments: boolean;
  readonly slashComments: boolean;
  /** `--` needs white space behind it to open a comment. */
  readonly spacedDashComments: boolean;
  readonly dollarQuotes: boolean;
  readonly delimiterCommand: boolean;
  /** `#name` is a temporary table. */
  readonly hashNames: boolean;
  /** `@stage/path` is one word. */
  readonly stages: boolean;
  /** `\connect` and the rows behind `COPY … FROM stdin` of a script for psql. */
  readonly clientScript: boolean;
  /** `'''…'''` strings. */
  readonly tripleQuotes: boolean;
  /** `-- COMMAND ----------` parts the cells of a notebook. */
  readonly notebooks: boolean;
  /** `5L`, `1.5BD`: a number says its type. */
  readonly typedNumbers: boolean;
  /** A name may begin with a digit. */
  readonly digitNames: boolean;
  /** Parts of a path may hold dashes and begin with a digit. */
  readonly dashedNames: boolean;
  /** `@name` is a variable. */
  readonly atVariables: boolean;
  /** `[name]` where an expression begins is one of SQL Server: no list of values begins with a bracket alone. */
  readonly bracketNames: boolean;
  /** A line `GO` ends a statement. */
  readonly batches: boolean;
}

const base: Lexis = {
  doubleQuotedStrings: false,
  backslashEscapes: false,
  nestedComments: false,
  hashComments: false,
  slashComments: false,
  spacedDashComments: false,
  dollarQuotes: true,
  delimiterCommand: false,
  hashNames: false,
  stages: false,
  clientScript: false,
  tripleQuotes: false,
  notebooks: false,
  typedNumbers: false,
  digitNames: false,
  dashedNames: false,
  atVariables: true,
  bracketNames: false,
  batches: false,
};

const table: Readonly<Record<DialectName, Lexis>> = {
  postgres: {
    ...base,
    nestedComments: true,
    clientScript: true,
    atVariables: false,
    bracketNames: true,
    // A SQL file of a workspace that names no database is read as this dialect.
    batches: true,
  },
  redshift: { ...base, nestedComments: true, backslashEscapes: true, hashNames: true, bracketNames: true },
  snowflake: { ...base, backslashEscapes: true, slashComments: true, stages: true },
  bigquery: {
    ...base,
    doubleQuotedStrings: true,
    backslashEscapes: true,
    hashComments: true,
    dollarQuotes: false,
    tripleQuotes: true,
    dashedNames: true,
  },
  spark: {
    ...base,
    doubleQuotedStrings: true,
    backslashEscapes: true,
    nestedComments: true,
    notebooks: true,
    typedNumbers: true,
    digitNames: true,
  },
  mysql: {
    ...base,
    doubleQuotedStrings: true,
    backslashEscapes: true,
    hashComments: true,
    spacedDashComments: true,
    dollarQuotes: false,
    delimiterCommand: true,
    digitNames: true,
  },
  duckdb: { ...base, nestedComments: true },
  trino: base,
  ansi: { ...base, nestedComments: true, delimiterCommand: true, bracketNames: true, batches: true },
};

export const lexisOf = (dialect: DialectName): Lexis => table[dialect];
