import { maskTemplate } from '../../../../template/mask/mask.ts';
import { iterate, keyValue } from '../../../python/values/iterate.ts';
import { plainText, sliceText, TextBuilder } from '../../../python/values/text-value.ts';
import type { DictValue, TextValue, Value } from '../../../python/values/value.ts';
import { shellWords } from '../operators/shell-words.ts';
import { argumentAt } from '../program/arguments.ts';
import type { TaskBuilder } from '../program/program.ts';
import { renderedValue } from '../templates/rendered-value.ts';
import type { JobArguments } from './job-arguments.ts';

/** A script that an operator has Spark run. */
export interface Submitted {
  readonly script: Value;
  readonly given: JobArguments;
  /** It is run by Python itself, so that it need not be a job of Spark's. */
  readonly byPython?: true;
  /** The operator does more than that. */
  readonly more?: true;
}

type Reads = (task: TaskBuilder) => readonly Submitted[];

/** Which argument of an operator names the script, and which what it is given. */
const operators: readonly (readonly [RegExp, Reads])[] = [
  [
    /^SparkSubmitOperator$/,
    (task) =>
      one(at(task, 'application'), words(at(task, 'application_args')), {
        settings: at(task, 'conf'),
        environment: at(task, 'env_vars'),
      }),
  ],
  [
    /^(?:BashOperator|SSHOperator)$/,
    (task) => inShell(at(task, task.operator === 'SSHOperator' ? 'command' : 'bash_command')),
  ],
  [/^DataprocSubmitJobOperator$/, (task) => dataproc(at(task, 'job.pyspark_job'))],
  [/^DataprocCreateBatchOperator$/, (task) => dataproc(at(task, 'batch.pyspark_batch'))],
  [
    /^DataprocSubmitPySparkJobOperator$/,
    (task) =>
      one(at(task, 'main'), words(at(task, 'arguments')), {
        settings: at(task, 'dataproc_properties') ?? at(task, 'dataproc_pyspark_properties'),
      }),
  ],
  [/^LivyOperator$/, (task) => one(at(task, 'file'), words(at(task, 'args')), { settings: at(task, 'conf') })],
  [
    /^(?:GlueJobOperator|AwsGlueJobOperator|AWSGlueJobOperator)$/,
    (task) => one(at(task, 'script_location'), undefined, { named: at(task, 'script_args') }),
  ],
  [/^EmrAddStepsOperator$/, (task) => steps(at(task, 'steps'))],
  [
    /^EmrServerlessStartJobOperator$/,
    (task) =>
      one(at(task, 'job_driver.sparkSubmit.entryPoint'), words(at(task, 'job_driver.sparkSubmit.entryPointArguments'))),
  ],
  [
    /^EmrContainerOperator$/,
    (task) =>
      one(
        at(task, 'job_driver.sparkSubmitJobDriver.entryPoint'),
        words(at(task, 'job_driver.sparkSubmitJobDriver.entryPointArguments')),
      ),
  ],
  [
    /^DatabricksNotebookOperator$/,
    (task) => one(at(task, 'notebook_path'), undefined, { named: at(task, 'notebook_params') }),
  ],
  [
    /^DatabricksSubmitRunOperator$/,
    (task) => [
      ...['', 'json.'].flatMap((where) => [
        ...one(
          at(task, `${where}spark_python_task.python_file`),
          words(at(task, `${where}spark_python_task.parameters`)),
        ),
        ...one(at(task, `${where}notebook_task.notebook_path`), undefined, {
          named: at(task, `${where}notebook_task.base_parameters`),
        }),
      ]),
    ],
  ],
];

/** The scripts that a task has Spark run, with what it gives them; empty for all other tasks. */
export const submittedBy = (task: TaskBuilder): readonly Submitted[] =>
  task.callable === undefined ? (operators.find(([pattern]) => pattern.test(task.operator))?.[1](task) ?? []) : [];

const at = (task: TaskBuilder, path: string): Value | undefined => argumentAt(task, path)?.value;

interface Given {
  readonly named?: Value | undefined;
  readonly environment?: Value | undefined;
  readonly settings?: Value | undefined;
}

function one(
  script: Value | undefined,
  given: readonly Value[] | undefined,
  { named, environment, settings }: Given = {},
): readonly Submitted[] {
  if (script === undefined || plainText(script) === '') return [];
  return [
    {
      script,
      given: {
        words: given,
        named: entriesOf(named, (name) => name.replace(/^-+/, '')),
        environment: entriesOf(environment, (name) => name),
        settings: entriesOf(settings, (name) => name.toLowerCase()),
      },
    },
  ];
}

/** No arguments are an empty list; a value that is not known hides them. */
function words(value: Value | undefined): readonly Value[] | undefined {
  if (value === undefined || (value.kind === 'scalar' && value.value === null)) return [];
  if (value.kind !== 'list' || value.open) return undefined;
  return iterate(value).values.map(renderedValue);
}

function entriesOf(value: Value | undefined, nameOf: (name: string) => string): ReadonlyMap<string, Value> {
  if (value?.kind !== 'dict') return new Map();
  return new Map(
    [...value.entries].flatMap(([key, entry]) => {
      const name = plainText(keyValue(key));
      return name === undefined ? [] : [[nameOf(name), renderedValue(entry.value)] as const];
    }),
  );
}

const entry = (value: DictValue, name: string): Value | undefined => value.entries.get(name)?.value;

function dataproc(job: Value | undefined): readonly Submitted[] {
  if (job?.kind !== 'dict') return [];
  return one(entry(job, 'main_python_file_uri'), words(entry(job, 'args')), { settings: entry(job, 'properties') });
}

/** EMR's steps: a command line each. */
function steps(value: Value | undefined): readonly Submitted[] {
  if (value?.kind !== 'list') return [];
  return value.items.flatMap((step) => {
    const jar = step.kind === 'dict' ? entry(step, 'HadoopJarStep') : undefined;
    const line = jar?.kind === 'dict' ? words(entry(jar, 'Args')) : undefined;
    return line === undefined ? [] : commandLine(line);
  });
}

/** Options of `spark-submit` that stand alone. */
const flags = /^--(?:verbose|supervise|version|help|usage-error)$/;

const programs = /(?:^|\/)(?:spark3?-submit|python[\d.]*)$/;

/** `spark-submit --conf a=b job.py --day 2026-11-28`, `python job.py`. */
function commandLine(line: readonly Value[]): readonly Submitted[] {
  const start = line.findIndex((word) => programs.test(plainText(word) ?? ''));
  if (start < 0) return [];
  const byPython = !/spark/.test(plainText(line[start]) ?? '');
  const settings = new Map<string, Value>();
  let index = start + 1;
  for (; index < line.length; index++) {
    const word = line[index];
    const text = word?.kind === 'text' ? word.mapped.text : '';
    if (!text.startsWith('-')) break;
    const next = line[index + 1];
    if (/^--?(?:conf|c)$/.test(text) && next?.kind === 'text') {
      const equals = next.mapped.text.indexOf('=');
      settings.set(
        next.mapped.text.slice(0, equals).toLowerCase(),
        sliceText(next, equals + 1, next.mapped.text.length),
      );
    }
    if (!flags.test(text) && !text.includes('=')) index++;
  }
  const script = line[index];
  if (script === undefined || (byPython && !/\.py$/.test(plainText(script) ?? ''))) return [];
  const given = { words: line.slice(index + 1).map(renderedValue), named: new Map(), environment: new Map(), settings };
  return [byPython ? { script, given, byPython } : { script, given }];
}

/** What a command does beside it that touches no rows. */
const prepares = /^\s*(?:(?:cd|export|set|source|\.|echo|mkdir|sleep|true|date)\b.*|#.*|\w+=\S*|)$/;

/** A shell command whose words can be told apart; of several commands those that submit. */
function inShell(command: Value | undefined): readonly Submitted[] {
  if (command?.kind !== 'text' || !/spark3?-submit|\bpython[\d.]*\s+\S+\.py\b/.test(command.mapped.text)) return [];
  const { text } = command.mapped;
  const open = maskTemplate(text, command.holes).holes;
  const from = Math.max(
    ...[...text.matchAll(/spark3?-submit|\bpython[\d.]*\s+\S+\.py\b/g)].map(({ index }) => index),
    0,
  );
  const start = Math.max(...[...text.slice(0, from).matchAll(/[\n;&|]/g)].map(({ index }) => index + 1), 0);
  const behind = /(?:[^\\]\n|&&|\|\||[;|])/g;
  behind.lastIndex = from;
  let end = text.length;
  for (let found = behind.exec(text); found !== null; found = behind.exec(text)) {
    const stop = found.index + (found[0].length === 2 && found[0].endsWith('\n') ? 1 : 0);
    if (open.some((hole) => hole.start <= stop && stop < hole.end)) continue;
    end = stop;
    break;
  }
  const own = sliceText(command, start, end);
  const found = shellWords(own.mapped.text, maskTemplate(own.mapped.text, own.holes).holes);
  if (found === undefined) return [];
  const more = [text.slice(0, start), text.slice(end)].some(
    (other) => !other.split(/[\n;&|]+/).every((part) => prepares.test(part)),
  );
  const line = found.map((word) => wordValue(own, word));
  return commandLine(line).map((one) => (more ? { ...one, more } : one));
}

function wordValue(text: TextValue, pieces: readonly { readonly start: number; readonly end: number }[]): TextValue {
  const builder = new TextBuilder();
  for (const { start, end } of pieces) builder.append(sliceText(text, start, end));
  return builder.build();
}
