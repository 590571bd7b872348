import type { Command } from 'commander';
import { pythonPath } from '../node/airflow/python-path.ts';
import type { AskOptions } from '../node/load-workspace.ts';
import type { Shell } from './shell.ts';

export interface AirflowOptions {
  readonly airflowPython?: string | false;
}

/** Whether a real Airflow is asked, which runs the code of the DAG files. */
export const addAirflowOptions = (command: Command): Command =>
  command
    .option(
      '--airflow-python <path>',
      'let the Airflow of this Python or virtual environment load the DAG files, and use what it says',
    )
    .option('--no-airflow-python', 'ask no Airflow, whatever backfill.yaml names');

export const airflowToAsk = ({ airflowPython }: AirflowOptions, shell: Shell): AskOptions => ({
  ...(airflowPython !== undefined && {
    airflowPython: airflowPython === false ? false : pythonPath(airflowPython, shell.cwd),
  }),
  onAsk: (python) => shell.err(`asking the Airflow of ${python} …\n`),
});
