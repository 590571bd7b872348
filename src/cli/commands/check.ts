import { type Command, Option } from 'commander';
import { allRules } from '../../core/lint/all-rules.ts';
import { makeBaseline } from '../../core/lint/baseline.ts';
import type { Severity } from '../../core/lint/model/finding.ts';
import { parseInstant } from '../../core/time/zones/iso.ts';
import { checkWithGrammars } from '../../node/check-with-grammars.ts';
import { didYouMean } from '../../node/nearest-names.ts';
import { type AirflowOptions, addAirflowOptions, airflowToAsk } from '../arguments/airflow-option.ts';
import { type CheckScope, checkScope } from '../arguments/check-scope.ts';
import { problemsIn } from '../arguments/problems-in.ts';
import { addWorkspaceOption, readWorkspace } from '../arguments/workspace-option.ts';
import { checkGithub } from '../reporters/check/check-github.ts';
import { checkJson } from '../reporters/check/check-json.ts';
import { checkSarif } from '../reporters/check/check-sarif.ts';
import { checkText } from '../reporters/check/check-text.ts';
import type { FindingsReport } from '../reporters/check/findings-report.ts';
import { newFindings, writeBaseline } from '../terminal/baseline-file.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';
import { wholeNumber } from '../terminal/whole-number.ts';
import { workLine } from '../terminal/work-line.ts';

interface CheckCommandOptions extends AirflowOptions {
  readonly format: 'text' | 'json' | 'sarif' | 'github';
  readonly rule: readonly string[];
  readonly maxWarnings: number;
  readonly baseline?: string;
  readonly writeBaseline?: true;
  readonly now?: string;
  readonly workspace?: string;
}

const examples = `
Examples:
  backfill check                       the pipelines below this folder
  backfill check dags/orders.py        one file, with the SQL that it runs
  backfill check --rule plain-insert,wall-clock dags
  backfill check --format sarif . > findings.sarif
  backfill check --baseline backfill-baseline.json --write-baseline   accept what is there today
  backfill check --baseline backfill-baseline.json                    report only what is new

Exit code 1 when there are findings that are errors, more warnings than --max-warnings, or problems that are errors.`;

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('check')
    .description('find what would change, double or lose rows when a task runs again')
    .argument('[paths...]', 'files or folders (default: the pipelines below this folder)')
    .addOption(
      new Option('--format <format>', 'how findings are written')
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .addOption(
      new Option('--rule <rules>', 'only these rules, with commas between them; may be repeated')
        .default([] as string[], 'all')
        .argParser((rules: string, before: readonly string[]) => [...before, ...rules.split(',').map(knownRule)]),
    )
    .addOption(
      new Option('--max-warnings <number>', 'warnings up to this many are no failure')
        .default(0)
        .argParser((text) => wholeNumber('--max-warnings', text, 0)),
    )
    .option('--baseline <file>', 'report only findings that this file does not list')
    .option('--write-baseline', 'write the file of --baseline anew, with all findings that there are')
    .option('--now <time>', 'taken as by plan and run; no finding depends on the time');
  addAirflowOptions(addWorkspaceOption(command))
    .addHelpText('after', examples)
    .action((paths: readonly string[], options: CheckCommandOptions) => check(paths, options, shell));
}

async function check(paths: readonly string[], options: CheckCommandOptions, shell: Shell): Promise<void> {
  if (options.now !== undefined && parseInstant(options.now, 'UTC') === undefined) {
    throw new UsageError(`--now ${options.now} is not a date or time`, 'write it like 2026-11-01 or 2026-11-01T05:00Z');
  }
  if (options.writeBaseline === true && options.baseline === undefined)
    throw new UsageError('--write-baseline does not say into which file', 'name it with --baseline FILE');
  const scope = checkScope(paths, shell.cwd, options.workspace);
  const workspace = await readWorkspace(scope.root, shell, airflowToAsk(options, shell));
  const chosen = scope.choose(workspace.reading);
  const line = workLine(shell);
  const all = await checkWithGrammars(workspace.facts, workspace.grammars, {
    onPipeline: (done, of) => line.tell('checking pipelines', done, of),
    severities: workspace.config.rules,
    folders: workspace.config.folders,
    ...(options.rule.length > 0 && { rules: options.rule }),
  });
  line.end();
  const inScope = all.filter(({ at }) => chosen.has(at.file));
  if (options.baseline !== undefined && options.writeBaseline === true) {
    writeBaseline(options.baseline, makeBaseline(inScope, workspace.text), shell);
    return;
  }
  const isAsked = (rule: string): boolean => options.rule.length === 0 || options.rule.includes(rule);
  const findings =
    options.baseline === undefined
      ? inScope
      : newFindings(
          options.baseline,
          inScope,
          ({ rule, file }) => chosen.has(file) && isAsked(rule),
          workspace.text,
          shell,
        );
  const report = relativeReport(
    {
      findings,
      problems: problemsIn(workspace, scope, chosen),
      filesRead: [...chosen].filter((file) => workspace.reading.text(file) !== undefined).length,
      help: (rule) => allRules.find(({ id }) => id === rule)?.help ?? '',
      text: workspace.text,
    },
    scope,
  );
  shell.out(write(report, options.format, shell));
  const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
  const serious = count('error') > 0 || count('warning') > options.maxWarnings;
  // Settings with a slip are not applied, so nothing that was found or not found can be relied on.
  const broken = report.problems.some(({ severity }) => severity === 'error');
  shell.exit(serious || broken ? exitCodes.findings : exitCodes.done);
}

function write(report: FindingsReport, format: CheckCommandOptions['format'], shell: Shell): string {
  switch (format) {
    case 'json':
      return checkJson(report);
    case 'sarif':
      return checkSarif(report, allRules);
    case 'github':
      return checkGithub(report);
    case 'text':
      return checkText(report, shell.colors);
  }
}

/** The report with its files named from where the command was called. */
function relativeReport(report: FindingsReport, scope: CheckScope): FindingsReport {
  if (scope.isRoot) return report;
  const moved = <T extends { readonly file: string }>(at: T): T => ({ ...at, file: scope.toShown(at.file) });
  return {
    ...report,
    findings: report.findings.map((finding) => ({
      ...finding,
      at: moved(finding.at),
      related: finding.related.map(({ message, at }) => ({ message, at: moved(at) })),
      fixes: finding.fixes.map((fix) => ({ ...fix, edits: fix.edits.map(moved) })),
    })),
    problems: report.problems.map((problem) => ({ ...problem, at: problem.at && moved(problem.at) })),
    text: (file) => report.text(scope.fromShown(file)),
  };
}

function knownRule(rule: string): string {
  const ids = allRules.map(({ id }) => id);
  if (ids.includes(rule)) return rule;
  throw new UsageError(`there is no rule ${rule}${didYouMean(rule, ids)}`, `the rules are: ${ids.join(', ')}`);
}
