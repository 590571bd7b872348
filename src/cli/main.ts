import { runCommandLine } from './run-command-line.ts';
import { keepCompiled } from './terminal/keep-compiled.ts';
import { optimizeLater } from './terminal/optimize-later.ts';
import { processShell } from './terminal/process-shell.ts';

/** Put in by the build from `package.json`. */
declare const BACKFILL_VERSION: string;

keepCompiled();
optimizeLater();
const { shell, code } = processShell();
let failed = false;
try {
  await runCommandLine(process.argv.slice(2), shell, BACKFILL_VERSION);
} catch (error) {
  failed = true;
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const hint = 'this is a bug of Backfill Assistant; with BACKFILL_DEBUG=1 it shows where';
  shell.err(`internal error: ${process.env.BACKFILL_DEBUG ? whole : `${String(error)}\n${hint}`}\n`);
}
// A connection that does not close must not keep the process; what was written is flushed first.
process.stdout.write('', () => process.stderr.write('', () => process.exit(failed ? 1 : code())));
