import type { Shell } from './terminal/shell.ts';

/**
 * Runs one command line to its end. Never rejects for a wrong call or for what files, databases and terminals do; a
 * bug rejects, after everything that was open has been closed.
 */
export async function runCommandLine(words: readonly string[], shell: Shell, version: string): Promise<void> {
  const [first] = words;
  // Scripts ask for it often, and nothing has to be loaded to say it.
  if (first === '--version' || first === '-V') return shell.out(`${version}\n`);
  const { runProgram } = await import('./create-program.ts');
  await runProgram(words, shell, version);
}
