import { type CureCase, replace } from './cure-case.ts';

/** Units on a lake beside the database that are not run from here as they are; `url`: of a Spark that has the table `cures.daily`. */
export function lakeCases(url: string): Readonly<Record<string, CureCase>> {
  const lake = (more: string): string => `  lake: { engine: spark, url: "${url}", ${more} }`;
  const daily = (connection: string) => ({
    spark: true as const,
    connection,
    sql: "INSERT OVERWRITE cures.daily PARTITION (day = '{{ ds }}') SELECT 1, '{{ ds }}'",
  });
  return {
    'Spark SQL whose connection no lake lists': {
      codes: ['other-connection'],
      tasks: { f: replace('mart.f'), g: daily('elsewhere') },
      yaml: lake('ledger: wh, airflowIds: [spark]'),
      steps: [
        [
          /in Spark SQL, and its connection elsewhere is not among the airflowIds of lake.*\n?.*add elsewhere to the airflowIds/,
          { yaml: lake('ledger: wh, airflowIds: [spark, elsewhere]') },
        ],
      ],
    },
    'a lake that is not beside the database of the run': {
      codes: ['other-connection'],
      tasks: { f: replace('mart.f'), g: daily('spark') },
      yaml: lake('airflowIds: [spark]'),
      steps: [
        [
          /its connection spark means lake, and this run is on wh.*\n?.*write ledger: wh under lake/,
          { yaml: lake('ledger: wh, airflowIds: [spark]') },
        ],
      ],
    },
    'REPLACE WHERE of a table of files': {
      codes: ['not-runnable'],
      tasks: {
        g: {
          ...daily('spark'),
          sql: "INSERT INTO cures.daily REPLACE WHERE day = '{{ ds }}' SELECT 1, 'x', DATE'{{ ds }}'",
        },
      },
      yaml: lake('ledger: wh, airflowIds: [spark]'),
      steps: [
        [
          /REPLACE WHERE is for tables of Delta and Iceberg.*\n?.*INSERT OVERWRITE cures\.daily PARTITION/,
          { tasks: { g: daily('spark') } },
        ],
      ],
    },
    'two lakes with one ledger': {
      tasks: { f: replace('mart.f'), g: daily('spark') },
      yaml: `${lake('ledger: wh, airflowIds: [spark]')}\n  other: { engine: spark, url: "sc://127.0.0.1:1", ledger: wh }`,
      steps: [
        [
          /two lakes with one ledger.*give other a ledger of its own/,
          {
            yaml: `${lake('ledger: wh, airflowIds: [spark]')}\n  other: { engine: spark, url: "sc://127.0.0.1:1" }`,
          },
        ],
      ],
    },
  };
}
