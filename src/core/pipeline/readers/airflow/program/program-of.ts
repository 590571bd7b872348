import type { Host, Interpreter } from '../../../python/values/value.ts';
import type { Program } from './program.ts';

const programs = new WeakMap<Host, Program>();

/** Makes a host known as the one of a program. */
export function hostFor(program: Program, host: Host): Host {
  programs.set(host, program);
  return host;
}

/**
 * The program that is being followed. A decorated function may stand in a module that many files import, so it must not
 * keep the program of the first of them.
 */
export function programOf(run: Interpreter): Program {
  const program = programs.get(run.host);
  if (program === undefined) throw new Error('a host without a program');
  return program;
}
