import { describe, expect, test } from 'vitest';
import { workspace } from './workspace.ts';

/** How the parent is written, and whether its partition surely or perhaps is emptied. */
function written(sql: string, schedule = '@daily', ddl = parts): string | undefined {
  const { facts } = workspace({
    d: { schedule, start: '2026-11-01', tasks: { t: sql } },
    ddl: { schedule: { kind: 'none' }, tasks: { t: ddl } },
  });
  const found = facts.get('d.t')?.writes.find(({ table }) => table === 'mart.p');
  return found && `${found.mode}${found.partEmptied ? ' sure' : found.mayEmpty === undefined ? '' : ' open'}`;
}

const days = ['01', '02', '03'];
const parts = `create table mart.p (day date not null, id int) partition by range (day); ${days
  .map(
    (day) =>
      `create table mart.p_202611${day} partition of mart.p for values from ('2026-11-${day}') to ('2026-11-0${Number(day) + 1}');`,
  )
  .join(' ')}`;
const insert =
  "insert into mart.p select at::date, id from raw.o where at >= '{{ ds }}' and at < '{{ macros.ds_add(ds, 1) }}'";

describe('a partition that is emptied before rows go into its table', () => {
  test.each([
    ['TRUNCATE', `truncate mart.p_{{ ds_nodash }}; ${insert}`],
    ['TRUNCATE TABLE', `truncate table mart.p_{{ ds_nodash }}; ${insert}`],
    ['DELETE of all of it', `delete from mart.p_{{ ds_nodash }}; ${insert}`],
  ])('is the one that holds them: %s', (_, sql) => {
    expect(written(sql)).toBe('insert_overwrite sure');
  });

  test('is told by a name in another form', () => {
    const ddl = parts.replace(/p_2026(\d\d)(\d\d)/g, 'p_2026_$1_$2');
    expect(written(`truncate mart.p_{{ ds | replace('-', '_') }}; ${insert}`, '@daily', ddl)).toBe(
      'insert_overwrite sure',
    );
  });

  test.each([
    ['its definition is not at hand', `truncate mart.p_{{ ds_nodash }}; ${insert}`, '@daily', 'select 1'],
    [
      'its days are others',
      `truncate mart.p_{{ ds_nodash }}; ${insert}`,
      '@daily',
      parts
        .replace(/to \('2026-11-0(\d)'\)/g, "to ('2026-12-0$1')")
        .replace(/from \('2026-11-(\d\d)'\)/g, "from ('2026-12-$1')"),
    ],
    [
      'the interval writes more days',
      `truncate mart.p_{{ ds_nodash }}; ${insert.replace('macros.ds_add(ds, 1)', 'data_interval_end | ds')}`,
      '@weekly',
      parts,
    ],
    [
      'it is that of the day before',
      `truncate mart.p_{{ macros.ds_format(macros.ds_add(ds, -1), '%Y-%m-%d', '%Y%m%d') }}; ${insert}`,
      '@daily',
      parts,
    ],
  ])('may be it: %s', (_, sql, schedule, ddl) => {
    expect(written(sql, schedule, ddl)).toBe('append open');
  });

  test.each([
    ['a part of it', `delete from mart.p_{{ ds_nodash }} where id < 3; ${insert}`],
    ['another table', `truncate mart.q_{{ ds_nodash }}; ${insert}`],
    ['none', insert],
  ])('is not it: %s', (_, sql) => {
    expect(written(sql)).toBe('append');
  });
});
