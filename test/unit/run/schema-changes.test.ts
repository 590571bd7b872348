import { describe, expect, test } from 'vitest';
import type { RecordedSchema } from '../../../src/core/ledger/recorded-schemas.ts';
import { schemaFindings, type TableNow } from '../../../src/core/run/preflight/schema-changes.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import type { ColumnType, TableDescription } from '../../../src/core/warehouse/port/table-description.ts';

const now = (columns: readonly ColumnType[], more: Partial<TableNow> = {}): ReadonlyMap<string, TableNow> =>
  new Map([
    [
      'mart.daily',
      {
        table: { columns: columns.map(([name, type]) => ({ name, type })) } as unknown as TableDescription,
        hash: 'today',
        volatile: ['loaded_at'],
        writers: ['shop.daily'],
        readers: ['shop.weekly', 'shop.report'],
        ...more,
      },
    ],
  ]);

const then = (more: Partial<RecordedSchema>): RecordedSchema => ({
  role: 'target',
  table: 'mart.daily',
  columns: undefined,
  hash: undefined,
  names: undefined,
  slices: 3,
  run: 'r1',
  at: instant(Date.UTC(2026, 10, 3)),
  ...more,
});

const day: ColumnType = ['day', 'date'];
const amount: ColumnType = ['amount', 'integer'];
const found = (recorded: Partial<RecordedSchema>, columns: readonly ColumnType[], more?: Partial<TableNow>) =>
  schemaFindings([then(recorded)], now(columns, more)).map(
    ({ severity, message, task }) => `${severity} ${task ?? '-'} ${message}`,
  );
const since =
  'mart.daily has changed since 3 slices of it in this plan were last written (run r1, 2026-11-03T00:00:00Z): ';

describe('columns that are others than when slices were written', () => {
  test('the same columns in any order are no change', () => {
    expect(found({ columns: [day, amount] }, [amount, day])).toEqual([]);
  });

  test('added, dropped and retyped columns of a target', () => {
    expect(
      found({ columns: [day, amount, ['note', 'text']] }, [day, ['amount', 'numeric(10,2)'], ['shop', 'text']]),
    ).toEqual([
      `warning shop.daily ${since}added shop text; dropped note text; changed amount from integer to numeric(10,2). Their rows hold no more than a default in what was added, so that a rerun may change each of them. What was dropped is gone from them, and a task that still writes it fails. Rows are compared by the columns of today.`,
    ]);
  });

  test('what was added to an input is told, what went or changed there is warned about', () => {
    const input = { role: 'input', slices: 1 } as const;
    expect(found({ ...input, columns: [day] }, [day, amount])).toEqual([
      'info - mart.daily has changed since 1 slice of this plan was last made from it (run r1, 2026-11-03T00:00:00Z): added amount integer. A statement that takes all columns takes more than then.',
    ]);
    expect(found({ ...input, columns: [day, amount] }, [['day', 'text']])[0]).toMatch(
      /^warning .* dropped amount integer; changed day from date to text\. A statement that names what was dropped fails\./,
    );
  });

  test('of a version by an older program the names are known, and that something else changed', () => {
    const old = { hash: 'then', names: ['day', 'note'] };
    expect(found({ ...old, hash: 'today' }, [day])).toEqual([]);
    expect(found(old, [day, ['shop', 'text'], ['loaded_at', 'timestamp']])[0]).toContain(
      `${since}added shop; dropped note.`,
    );
    expect(found({ hash: 'then', names: ['day'] }, [day])[0]).toContain(
      `${since}a type or a constraint, of which only a hash was kept.`,
    );
    expect(found({ hash: 'then' }, [day])[0]).toContain('of which only a hash was kept');
  });

  test('a table that the plan no longer touches, or that is gone, is left out', () => {
    expect(found({ columns: [day] }, [day, amount], { writers: [] })).toEqual([]);
    expect(schemaFindings([then({ columns: [day] })], new Map())).toEqual([]);
  });
});
