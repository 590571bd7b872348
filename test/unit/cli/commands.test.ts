import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/run-cli.ts';

const commandsOf = (help: string): readonly string[] =>
  [...(help.split('Commands:')[1]?.split('Examples:')[0] ?? '').matchAll(/^ {2}([a-z-]+) /gm)].map(
    ([, name = '']) => name,
  );

describe('commands, each loaded when it is called', () => {
  it('answer to the name that the help lists', async () => {
    const names = commandsOf((await runCli(['--help'], '.')).out).filter((name) => name !== 'help');
    expect(names).toContain('check');
    for (const name of names) {
      const { code, out } = await runCli([name, '--help'], '.');
      expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(`^Usage: backfill ${name} `)]);
    }
  });

  it('suggest the nearest one for a slip, and know the version without loading any', async () => {
    expect((await runCli(['plann'], '.')).err).toContain('Did you mean plan?');
    expect((await runCli(['--version'], '.')).out).toBe('1.2.3\n');
    expect((await runCli(['constructor'], '.')).err).toContain("unknown command 'constructor'");
  });
});
