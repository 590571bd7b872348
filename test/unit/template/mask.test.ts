import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { maskTemplate } from '../../../src/core/template/mask/mask.ts';
import type { Hole } from '../../../src/core/template/mask/masked-text.ts';
import { unknownValue } from '../../../src/core/template/names/symbolic-value.ts';
import { lawRuns } from '../../support/laws.ts';

// Random laws take their time on a busy machine; none of them is about time.
vi.setConfig({ testTimeout: 60_000 });

const masked = (text: string): string => maskTemplate(text, []).text;

/** The holes that a reader of f-strings would hand over: `«day»` in the text stands for `{day}`. */
function fString(text: string, value: Hole['value'] = unknownValue('python')): { text: string; given: Hole[] } {
  const given: Hole[] = [];
  const plain = text.replaceAll('«', '{').replaceAll('»', '}');
  for (const found of text.matchAll(/«([^»]*)»/g)) {
    const [start, end] = [found.index, found.index + found[0].length];
    given.push({
      start,
      end,
      origin: 'f-string',
      source: found[1] ?? '',
      expression: { start: start + 1, end: end - 1 },
      value,
      quoted: false,
    });
  }
  return { text: plain, given };
}

describe('what stands in place of a tag', () => {
  test.each([
    ['a name', 'select * from {{ t }} where x', 'select * from j_t____ where x'],
    ['part of a name', 'select * from mart.{{ t }}_x', 'select * from mart.j_t_____x'],
    ['a schema', 'select * from {{ s }}.t', 'select * from j_s____.t'],
    ['inside a string', "where d = '{{ ds }}'", "where d = 'j_ds____'"],
    ['inside a quoted name', 'from "{{ t }}"', 'from "j_t____"'],
    ['inside a quoted name of MySQL', 'from `{{ t }}`', 'from `j_t____`'],
    ['inside dollar quotes', "$$ x = '{{ t }} $$ from {{ t }}", "$$ x = 'j_t____ $$ from j_t____"],
    ['inside tagged dollar quotes', "$f$ it's $$ {{ t }} $f$ {{ t }}", "$f$ it's $$ j_t____ $f$ j_t____"],
    ['behind a quote in a line comment', "-- it's\nselect '{{ t }}'", "-- it's\nselect 'j_t____'"],
    ['behind a quote in a block comment', "/* it's /* '' */ */ '{{ t }}'", "/* it's /* '' */ */ 'j_t____'"],
    ['behind a comment that does not nest', "/* a /* it's */ '{{ t }}' x", "/* a /* it's */ 'j_t____' x"],
    ['behind a doubled quote', "'it''s {{ t }}' {{ t }}", "'it''s j_t____' j_t____"],
    ['behind an escaped quote', "e'it\\'s {{ t }}' {{ t }}", "e'it\\'s j_t____' j_t____"],
    ['behind an escaped quote of MySQL', "'it\\'s {{ t }}' {{ t }}", "'it\\'s j_t____' j_t____"],
    ['behind a backslash of the standard', "split(a, '\\') , '{{ t }}'", "split(a, '\\') , 'j_t____'"],
    ['a limit', 'limit {{ n }} offset {{ n }}', 'limit 1       offset 1      '],
    ['an interval', 'd - interval {{ n }} day', 'd - interval 1       day'],
    ['a call as a statement', '{{ config(a=1) }}\nselect 1', '                 \nselect 1'],
    ['a call between statements', 'select 1;\n{{ log("x") }};\nselect 2', 'select 1;\n              ;\nselect 2'],
    ['a call as a table', 'select * from {{ ref("a") }}', 'select * from j_ref_a_______'],
    ['a tag', '{% set x = 1 %}select 1', '               select 1'],
    ['a comment', "{# it's #}select 1", '          select 1'],
    ['a tag with quotes', "{% set x = '}}' %}select '{{ x }}'", "                  select 'j_x____'"],
    ['raw', "{% raw %}'{{ x }}'{% endraw %}", "         '{{ x }}'            "],
    ['a comma', 'select a{{ "," }} b', 'select a,         b'],
    ['a dict', "{{ {'a': {'b': 1}} }} x", 'j__a_b_1_____________ x'],
    ['an emoji beside it', "'😀{{ t }}' {{ t }}", "'😀j_t____' j_t____"],
  ])('%s', (_, text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  test.each([
    "dag_run.conf.get('d')",
    'dag_run.conf',
    "dag_run and dag_run.conf and 'd' in dag_run.conf",
    "dag_run.conf.get('d') is not none",
    'dag_run.conf.d is defined',
    "dag_run.conf.get('d', '') != ''",
    "not (not dag_run.conf.get('full', false))",
  ])('where %s does not hold in runs of the schedule, the other branch is kept', (condition) => {
    const text = `{% if ${condition} %}a{% else %}b{% endif %}`;
    expect(masked(text).trim()).toBe('b');
    expect(
      masked(`{% set c = ${condition} %}{% if x %}{% elif c %}a{% endif %}{% if c %}a{% else %}b{% endif %}`).trim(),
    ).toBe('b');
    const asked = { names: new Map(), filters: new Map(), modules: new Map(), conf: 'unknown' } as const;
    expect(maskTemplate(text, [], asked).text.trim()).toBe('a');
  });

  test('a condition that conf does not decide keeps the first branch', () => {
    for (const condition of [
      'params.x',
      "dag_run.conf.get('d') or params.x",
      "dag_run.conf['d'] == 1",
      "'d' in params",
    ])
      expect(masked(`{% if ${condition} %}a{% else %}b{% endif %}`).trim()).toBe('a');
    expect(masked("{% if not dag_run.conf.get('d') %}a{% else %}b{% endif %}").trim()).toBe('a');
    expect(masked("{% if dag_run.conf.get('d') %}a{% endif %}").trim()).toBe('');
  });

  test('the first branch of an if is kept', () => {
    expect(masked('a{% if x %}b{% elif y %}c{% else %}d{% endif %}e')).toBe(`a${' '.repeat(10)}b${' '.repeat(35)}e`);
    expect(masked('{% if x %}b{% elif y %}c{% else %}d{% endif %}').trim()).toBe('b');
    expect(
      masked('{% if x %}{% if y %}a{% else %}b{% endif %}{% else %}{% if z %}c{% endif %}{% endif %}').trim(),
    ).toBe('a');
  });

  test('a loop is read as though it ran once', () => {
    const select = 'select {% for c in cols %}{{ c }}{% if not loop.last %},{% endif %}{% endfor %} from t';
    expect(masked(select).replace(/\s+/g, ' ')).toBe('select j_c____ from t');
    expect(
      masked(select.replace('{% if not loop.last %},{% endif %}', '{{ "," if not loop.last }}')).replace(/\s+/g, ' '),
    ).toBe('select j_c____ from t');
    const union = '{% for t in ts %}{% if not loop.first %} union all {% endif %}select 1{% endfor %}';
    expect(masked(union).trim()).toBe('select 1');
    expect(masked('{% for t in ts %}a{% else %}b{% endfor %}').trim()).toBe('a');
  });

  test('a definition does not stand in the text', () => {
    expect(masked('{% macro m(x) %}select {{ x }}{% endmacro %}select 1').trim()).toBe('select 1');
    expect(masked('{% set q %}select 2{% endset %}select 1').trim()).toBe('select 1');
  });

  test('a long name is cut so that engines keep it apart', () => {
    const text = `from {{ ${'a'.repeat(80)} }} where`;
    expect(masked(text)).toMatch(/^from j_a{54} +where$/);
    expect(masked(`from {{ ${'a'.repeat(80)} }}_x`)).toMatch(/^from j_a{80}_*_x$/);
  });

  test('an expression of several lines stays one token', () => {
    expect(masked('from {{\n  t\n}} where')).toBe('from j_\n   \n   where');
    expect(masked("'{{ a\n }}' {{ t }}")).toBe("'j_a_\nj_a' j_t____");
    expect(masked("-- {{ a\n + 'b' }} it's\nselect {{ t }}")).toBe('-- j_a_\n              \nselect j_t____');
  });

  test('newlines of every kind stay', () => {
    expect(masked('{{ a }}\r\n{# b\r\n #}\rc{% x\n %}')).toBe('j_a____\r\n    \r\n   \rc    \n   ');
  });
});

describe('what is half typed', () => {
  test.each([
    ["select '{{ ds' and x = 1;\nselect 2 from {{ b }}", "select 'j_ds_' and x = 1;\nselect 2 from j_b____"],
    ['select {{ ds\nfrom t', 'select j_ds_\nfrom t'],
    ['select {{\nfrom t', 'select j_\nfrom t'],
    ['select * from {{ t where x = 1', 'select * from j_t__where x = 1'],
    ["d = '{{ macros.ds_add(ds, ' and y = '{{ ds }}'", "d = 'j_macros_ds_add_ds___' and y = 'j_ds____'"],
    ['{% if x\nselect {{ t }}', '       \nselect j_t____'],
    ["{% if x %}select '{{ ds }}'", "          select 'j_ds____'"],
    ['{% if x %}a{% else %}b', '          a          b'],
    ['a{% endif %}b', 'a           b'],
    ['a {# open\nselect 1', 'a        \nselect 1'],
    ["{{ ds }\nselect '{{ ds }}'", "j_ds___\nselect 'j_ds____'"],
  ])('%j', (text, expected) => {
    const { text: actual, problem } = maskTemplate(text, []);
    expect(actual.replace(/ +/g, ' ')).toBe(expected.replace(/ +/g, ' '));
    expect(problem).toBeDefined();
  });

  test('a whole template has no problem', () => {
    expect(
      maskTemplate('{% if a %}{{ ds }}{% elif b %}{% else %}{% endif %}{% for x in y %}{% endfor %}{# c #}', [])
        .problem,
    ).toBeUndefined();
  });
});

describe('holes', () => {
  test('carry place, source and meaning', () => {
    const text = "where d = '{{ ds }}' and t = {{  params.x  }}";
    const { holes } = maskTemplate(text, []);
    expect(holes.map(({ start, end }) => text.slice(start, end))).toEqual(['{{ ds }}', '{{  params.x  }}']);
    expect(holes.map(({ expression }) => text.slice(expression.start, expression.end))).toEqual(['ds', 'params.x']);
    expect(holes.map(({ source, quoted, origin }) => ({ source, quoted, origin }))).toEqual([
      { source: 'ds', quoted: true, origin: 'template' },
      { source: 'params.x', quoted: false, origin: 'template' },
    ]);
    expect(holes.map(({ value }) => value.kind)).toEqual(['time', 'parameter']);
  });

  test('that are hidden are left out, tags are listed', () => {
    const { holes, tags } = maskTemplate('{% if a %}{{ b }}{% else %}{{ c }}{% endif %}', []);
    expect(holes.map(({ source }) => source)).toEqual(['b']);
    expect(tags.map(({ source }) => source)).toEqual(['if a', 'else', 'endif']);
  });

  test('of an f-string are stand-ins with their braces', () => {
    const { text, given } = fString("select * from «schema».t where d = '«day»' limit «n»");
    const { text: actual, holes } = maskTemplate(text, given);
    expect(actual).toBe("select * from j_schema.t where d = 'j_day' limit 1  ");
    expect(holes.map(({ source, quoted, origin }) => [source, quoted, origin])).toEqual([
      ['schema', false, 'f-string'],
      ['day', true, 'f-string'],
      ['n', false, 'f-string'],
    ]);
  });

  test('of an f-string are not taken for tags', () => {
    const { text, given } = fString('{«day»} {{ ds }}');
    expect(text).toBe('{{day}} {{ ds }}');
    expect(maskTemplate(text, given).text).toBe('{j_day} j_ds____');
  });

  test('of an f-string inside a template expression give their constant', () => {
    const { text, given } = fString("'{{ macros.ds_add(ds, -«n») }}'", { kind: 'literal', value: 7 });
    const { holes } = maskTemplate(text, given);
    expect(holes).toHaveLength(1);
    expect(holes[0]?.value).toMatchObject({ kind: 'time', time: { steps: [{}, { offset: { days: -7 } }] } });
    const unknown = fString("'{{ macros.ds_add(ds, -«n») }}'");
    expect(maskTemplate(unknown.text, unknown.given).holes[0]?.value).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('"n"'),
    });
  });
});

describe('on any text', () => {
  const words = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '#}',
    '{{ ds }}',
    '{% if x %}',
    '{% else %}',
    '{% endif %}',
    '{% for a in b %}',
    '{% endfor %}',
    '{% raw %}',
    '{% endraw %}',
    "'",
    '"',
    '`',
    '$$',
    '$a$',
    '--',
    '/*',
    '*/',
    '\n',
    '\r\n',
    '\r',
    ' ',
    'select',
    'limit',
    'interval',
    ';',
    '\\',
    '-',
    '{',
    '}',
    '(',
    ')',
    'é',
    '😀',
    '\u2028',
    '\u3164',
    'x',
    '1',
    '#',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words, { maxLength: 60 }).map((list) => list.join('')),
  );

  test('length and newlines stay, holes are in order, nothing throws', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: actual, holes, tags, problem } = maskTemplate(text, []);
        expect(actual.length).toBe(text.length);
        expect(actual.replace(/[^\r\n]/g, '')).toBe(text.replace(/[^\r\n]/g, ''));
        for (let at = 0; at < text.length; at++)
          if (text[at] === '\n' || text[at] === '\r') expect(actual[at]).toBe(text[at]);
        let last = 0;
        for (const { start, end, expression } of holes) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(expression.start).toBeGreaterThanOrEqual(start);
          expect(expression.end).toBeLessThanOrEqual(end);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        for (const { start, end } of tags) expect(actual.slice(start, end).trim()).toBe('');
        if (problem !== undefined) expect(problem.end).toBeGreaterThan(problem.start);
      }),
      { numRuns: lawRuns(1500) },
    );
  });

  test('text without tags is left as it stands', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !/\{[{%#]/.test(text)),
        (text) => {
          expect(masked(text)).toBe(text);
        },
      ),
    );
  });

  test.each([
    ['opening braces', '{'.repeat(20_000)],
    ['half-typed expressions', '{{ a '.repeat(20_000)],
    ['half-typed tags', '{% if '.repeat(20_000)],
    ['half-typed calls', '{{ f('.repeat(20_000)],
    ['quotes between half-typed calls', "'{{ f(".repeat(20_000)],
    ['half-typed definitions', '{% set x = '.repeat(20_000)],
    ['definitions', '{% set x = x %}'.repeat(5_000)],
    [
      'doubling definitions',
      Array.from({ length: 60 }, (_, at) => `{% set x${at + 1} = x${at} ~ x${at} %}{{ x${at} }}`).join(''),
    ],
    ['doubling macros', `{% macro f(x) %}{{ x }}{{ x }}{% endmacro %}{{ ${'f('.repeat(60)}ds${')'.repeat(60)} }}`],
    ['nested blocks', `${'{% if a %}'.repeat(10_000)}x${'{% endif %}'.repeat(10_000)}`],
    ['expressions', "'{{ ds }}' ".repeat(10_000)],
    ['open comments', '/* '.repeat(50_000)],
    ['dollars', '$a$ $b$'.repeat(20_000)],
    ['one expression of many lines', `{{ ${'a\n+ '.repeat(300)}a }}`],
  ])('many %s', (_, text) => {
    expect(masked(text)).toHaveLength(text.length);
  });
});
