import type { SeededRandom } from './seeded-random.ts';

/** Longest text that a mutation makes: what it is about is damage, not size. */
const longest = 60_000;

type Mutation = (text: string, random: SeededRandom, other: string) => string;

/** A random stretch, mostly short: most real damage is a few characters. */
function stretch(text: string, random: SeededRandom): readonly [number, number] {
  const start = random.below(text.length + 1);
  const length = random.below(random.pick([4, 30, 300, text.length + 1]));
  return [start, Math.min(text.length, start + length)];
}

const put = (text: string, at: number, added: string): string => text.slice(0, at) + added + text.slice(at);
const somewhere = (text: string, random: SeededRandom): number => random.below(text.length + 1);

function onLines(change: (lines: string[], random: SeededRandom) => void): Mutation {
  return (text, random) => {
    const lines = text.split('\n');
    change(lines, random);
    return lines.join('\n');
  };
}

const swapLines = onLines((lines, random) => {
  const [a, b] = [random.below(lines.length), random.below(lines.length)];
  [lines[a], lines[b]] = [lines[b] ?? '', lines[a] ?? ''];
});

const reindent = onLines((lines, random) => {
  const from = random.below(lines.length);
  const to = Math.min(lines.length, from + 1 + random.below(8));
  const indent = random.pick(['', ' ', '   ', '\t', '\t  ', '        ', '\u00a0', '\f']);
  for (let at = from; at < to; at++) lines[at] = indent + (lines[at] ?? '').trimStart();
});

const marks = ["'", '"', '"""', "'''", '`', '(', ')', '[', ']', '{', '}', '$$', '/*', '*/', '--', '#', '\\', ';', ','];
const tags = [
  '{{',
  '}}',
  '{%',
  '%}',
  '{#',
  '#}',
  '{{-',
  '-%}',
  '{% raw %}',
  '{% endraw %}',
  '{% if x %}',
  '{% endfor %}',
];
const letters = [
  '\u0000',
  '\ud83d',
  '\udc00',
  '😀',
  '\ufeff',
  '\u2028',
  '\u0085',
  '\r',
  '\r\n',
  '\t',
  '\u200b',
  'é',
  '\u3164',
];
const phrases = [
  ...[
    'DELETE FROM t;',
    'INSERT INTO t SELECT',
    ' MERGE INTO t USING s ON',
    ' CASE WHEN ',
    ' WITH a AS (',
    ' UNION ALL ',
  ],
  ...[
    ' INTERVAL ',
    " DATE '{{ ds }}' ",
    ' for i in range(10 ** 9): ',
    ' lambda: ',
    ' f"{',
    ' % ',
    ' >> ',
    '**kwargs',
    '*args',
  ],
  ...['schedule="* * * * *"', 'schedule="61 25 * * 8"', 'start_date=datetime(9999, 12, 31)', 'timedelta(days=10**9)'],
];
const keywords =
  /\b(?:def|class|with|for|in|if|else|return|import|from|as|lambda|select|from|where|and|or|insert|into|delete|update|set|join|on|between|group|by|begin|commit|values|case|when|end|task_id|dag_id|schedule|start_date|sql)\b/gi;

const mutations: Readonly<Record<string, Mutation>> = {
  delete: (text, random) => {
    const [start, end] = stretch(text, random);
    return text.slice(0, start) + text.slice(end);
  },
  duplicate: (text, random) => {
    const [start, end] = stretch(text, random);
    return put(text, end, text.slice(start, end));
  },
  move: (text, random) => {
    const [start, end] = stretch(text, random);
    const rest = text.slice(0, start) + text.slice(end);
    return put(rest, somewhere(rest, random), text.slice(start, end));
  },
  cut: (text, random) => text.slice(0, somewhere(text, random)),
  behead: (text, random) => text.slice(somewhere(text, random)),
  'drop lines': onLines((lines, random) => void lines.splice(random.below(lines.length), 1 + random.below(4))),
  'swap lines': swapLines,
  reindent,
  mark: (text, random) => put(text, somewhere(text, random), random.pick(marks)),
  tag: (text, random) => put(text, somewhere(text, random), random.pick(tags)),
  letter: (text, random) => put(text, somewhere(text, random), random.pick(letters)),
  phrase: (text, random) => put(text, somewhere(text, random), random.pick(phrases)),
  'drop a mark': (text, random) => {
    const found = [...text.matchAll(/["'()[\]{}%:;,]/g)];
    const at = found[random.below(found.length)]?.index;
    return at === undefined ? text : text.slice(0, at) + text.slice(at + 1);
  },
  'swap keywords': (text, random) => {
    const found = [...text.matchAll(keywords)];
    const [one, two] = [found[random.below(found.length)], found[random.below(found.length)]];
    return one === undefined || two === undefined
      ? text
      : text.slice(0, one.index) + two[0] + text.slice(one.index + one[0].length);
  },
  'another member': (text, random) => {
    const found = [...text.matchAll(/\.\w+(?=\()/g)];
    const [one, two] = [found[random.below(found.length)], found[random.below(found.length)]];
    return one === undefined || two === undefined
      ? text
      : text.slice(0, one.index) + two[0] + text.slice(one.index + one[0].length);
  },
  'under a condition': onLines((lines, random) => {
    const at = random.below(lines.length);
    const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? '';
    lines.splice(
      at,
      1,
      `${indent}if ${random.pick(['x', 'not full', '"{% if a %}b{% endif %}"'])}:`,
      `${indent}    ${(lines[at] ?? '').trimStart()}`,
    );
  }),
  repeat: (text, random) => {
    const [start] = stretch(text, random);
    return put(text, start, text.slice(start, start + 1 + random.below(40)).repeat(random.pick([20, 200, 1500])));
  },
  nest: (text, random) => {
    const [open, close] = random.pick([
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
      ['f(', ')'],
      ['(select ', ')'],
      ['case when ', ' end'],
      ['{% if a %}', '{% endif %}'],
      ['{{ (', ') }}'],
      ['not ', ''],
      ['"a" + ', ''],
      ['if x:\n ', ''],
      ['x >> ', ''],
    ] as const);
    const deep = random.pick([10, 200, 1200]);
    return put(text, somewhere(text, random), open.repeat(deep) + close.repeat(random.pick([deep, deep - 1, 0])));
  },
  'line ends': (text, random) => text.replaceAll('\n', () => random.pick(['\n', '\r\n', '\r', '\n\n'])),
  'all line ends': (text, random) => text.replaceAll('\n', random.pick(['\r\n', '\r', '\u2028'])),
  upper: (text, random) => {
    const [start, end] = stretch(text, random);
    return text.slice(0, start) + text.slice(start, end).toUpperCase() + text.slice(end);
  },
  splice: (text, random, other) => {
    const [start, end] = stretch(other, random);
    return put(text, somewhere(text, random), other.slice(start, end));
  },
  crossing: (text, random, other) => text.slice(0, somewhere(text, random)) + other.slice(somewhere(other, random)),
  digits: (text, random) =>
    text.replace(/\d+/g, (number) =>
      random.below(4) === 0 ? random.pick(['0', '-1', '99999999999999999999', '1e400']) : number,
    ),
};

/** The text after one to three mutations, and their names. `other` is another file that pieces are taken from. */
export function mutateText(
  text: string,
  other: string,
  random: SeededRandom,
): { readonly text: string; readonly done: readonly string[] } {
  let mutated = text;
  const done: string[] = [];
  for (let left = 1 + random.below(3); left > 0; left--) {
    const [name, mutate] = random.pick(Object.entries(mutations));
    mutated = mutate(mutated, random, other).slice(0, longest);
    done.push(name);
  }
  return { text: mutated, done };
}
