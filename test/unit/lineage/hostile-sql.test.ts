import fc from 'fast-check';
import { expect, it } from 'vitest';
import { factJson } from '../../../src/core/lineage/workspace/fact-json.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { lawRuns } from '../../support/laws.ts';
import { range, request } from '../plan/planning.ts';
import { workspace } from './workspace.ts';

const words = [
  ...[
    'select',
    'insert into',
    'delete from',
    'update',
    'merge into',
    'with',
    'as',
    'from',
    'join',
    'on',
    'using',
    'where',
  ],
  ...[
    'and',
    'or',
    'not',
    'between',
    'in',
    'exists',
    'union all',
    'create table',
    'temp',
    'drop table',
    'rename to',
    'truncate',
  ],
  ...[
    'alter table',
    'values',
    'set',
    'when matched then',
    'group by',
    'limit',
    'on conflict do update',
    'recursive',
    'lateral',
  ],
  ...[
    't',
    'src',
    's.ts',
    'ts',
    'day',
    '*',
    '(',
    '(',
    ')',
    ')',
    ',',
    ';',
    ';',
    '=',
    '>=',
    '<',
    '::date',
    "at time zone 'X/Y'",
  ],
  ...[
    "'{{ ds }}'",
    "'{{ data_interval_start }}'",
    "'{{ ds }} 25:99'",
    '{{ ds',
    '\'{{ data_interval_end.in_timezone("No/Where") | ds }}\'',
  ],
  ...[
    "interval '1 month'",
    "date_trunc('week',",
    'cast(',
    'now()',
    '--',
    '/*',
    '$$',
    '"',
    "'",
    '🙂',
    '\r\n',
    '\t',
    '1',
    'null',
  ],
] as const;

it('no text of SQL makes facts or a plan throw', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...words), { maxLength: 40 }),
      fc.constantFrom('UTC', 'Europe/Berlin', 'No/Where'),
      (text, zone) => {
        const facts = workspace({
          a: {
            tasks: { src: "delete from src where ts >= '{{ ts }}' and ts < '{{ next_ds }}'; insert into src select 1" },
          },
          b: { zone, tasks: { t: text.join(' ') } },
        });
        factJson(facts);
        const tasks = plannableTasks(facts, (code) => code);
        const plan = makePlan(tasks, request(['a.src', 'b.t'], range('2024-05-01', '2024-05-03')));
        expect(plan.units.every((unit) => unit.start < unit.next)).toBe(true);
      },
    ),
    { numRuns: lawRuns(400) },
  );
});
