import type { Value } from '../../../python/values/value.ts';
import type { SparkWork } from '../../spark/session/spark-work.ts';
import type { Program } from '../program/program.ts';
import { sessionOf } from './client-session.ts';
import { noteUnread } from './note-unread.ts';
import { noteSent } from './sent-sql.ts';

const works = new WeakMap<object, SparkWork>();

/** Spark as the task that is being followed uses it; settings of the file's own session hold for all of its tasks. */
export function taskSpark(program: Program): SparkWork {
  const owner = program.running ?? program;
  const known = works.get(owner);
  if (known !== undefined) return known;
  const ofFile = owner === program ? undefined : works.get(program)?.settings;
  const settings = new Map<string, Value>(ofFile);
  let aliases = 0;
  const work: SparkWork = {
    note({ text, call, composed, overwrites }) {
      if (program.running === undefined) return;
      noteSent(program, {
        text,
        call,
        client: 'Spark',
        connection: undefined,
        settings: [],
        session: sessionOf(program, undefined, call),
        commits: 0,
        byRow: false,
        conditions: program.conditions(),
        ...(composed && { composed }),
        ...(overwrites && { overwrites }),
      });
    },
    unread: (hides, reason, at) => noteUnread(program, hides, reason, at),
    settings,
    nextAlias: () => `t${++aliases}`,
  };
  works.set(owner, work);
  return work;
}
