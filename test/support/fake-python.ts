import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A program that is called like a Python that asks Airflow. Its code is JavaScript and has `files` (absolute paths that
 * are asked about) and `answer(value)`, which writes the answer.
 */
export function fakePython(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fake-python-'));
  const path = join(folder, 'python');
  writeFileSync(
    path,
    `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const [, , , request, answerFile] = process.argv;
const { files } = JSON.parse(readFileSync(request, 'utf8'));
const answer = (value) => writeFileSync(answerFile, typeof value === 'string' ? value : JSON.stringify(value));
${code}
`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Code of an Airflow that makes one DAG without tasks of each file, called like the file. */
export const oneDagPerFile = `answer({
  airflow: '3.3.2',
  dags: files.map((file, index) => ({
    id: file.replace(/^.*\\/|\\.py$/g, ''),
    file: index,
    timetable: { __type: 'airflow.timetables.simple.NullTimetable', __var: {} },
    timeZone: 'UTC',
    startDate: null,
    endDate: null,
    catchup: false,
    tasks: [],
  })),
  errors: [],
});`;
