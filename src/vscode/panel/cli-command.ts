import type { AssistantState } from '../../protocol/assistant-state.ts';

/** Word of a POSIX shell: quoted only where needed. */
const word = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The command that does what the page would do. */
export function cliCommand(
  {
    task,
    from,
    to,
    without,
  }: { readonly task: string; readonly from: string; readonly to: string; readonly without: readonly string[] },
  { choose: { options, downstream }, connection }: AssistantState,
): string {
  const hasDownstream = downstream.some(({ depth, included }) => depth > 0 && included);
  return [
    'backfill run',
    word(task),
    `--from ${word(from)}`,
    `--to ${word(to)}`,
    ...(hasDownstream ? ['--downstream', ...without.map((left) => `--without ${word(left)}`)] : []),
    ...(connection.name === undefined ? [] : [`--connection ${word(connection.name)}`]),
    `--concurrency ${options.concurrency}`,
    `--compare ${options.compare}`,
    ...(options.stopAtFirstFailure ? ['--stop-at-first-failure'] : []),
  ].join(' ');
}
