import type { Command } from 'commander';
import { pythonPath } from '../../node/airflow/python-path.ts';
import type { AskOptions } from '../../node/load-workspace.ts';
import type { Shell } from '../terminal/shell.ts';

export interface AirflowOptions {
  readonly airflow?: boolean;
  readonly airflowPython?: string;
}

/**
 * Whether a real Airflow is asked. That runs the code of the DAG files, and a file of the folder may name the program, so
 * it takes a word on the command line: checking a folder that somebody else wrote must stay safe.
 */
export const addAirflowOptions = (command: Command): Command =>
  command
    .option('--airflow', 'let the Airflow that backfill.yaml names load the DAG files, and use what it says')
    .option('--airflow-python <path>', 'the same with the Airflow of this Python or virtual environment');

export const airflowToAsk = ({ airflow, airflowPython }: AirflowOptions, shell: Shell): AskOptions => ({
  airflow:
    airflowPython !== undefined
      ? { python: pythonPath(airflowPython, shell.cwd) }
      : airflow === true
        ? 'configured'
        : undefined,
  onAsk: (python) => shell.err(`asking the Airflow of ${python} …\n`),
});
