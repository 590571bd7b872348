import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextValue } from '../../../src/core/pipeline/python/values/value.ts';
import { locate } from '../../../src/core/text/mapped-text.ts';
import { followPython } from '../../support/follow-python.ts';
import { lawRuns } from '../../support/laws.ts';

const textOf = (code: string, others?: Record<string, string>): TextValue => {
  const value = followPython(code, others).get('x');
  if (value?.kind !== 'text') throw new Error(`x is ${value?.kind}`);
  return value;
};

/** What the file has where a word of the text was written. */
function writtenAt(code: string, word: string): string | undefined {
  const { mapped } = textOf(code);
  const start = mapped.text.indexOf(word);
  const place = locate(mapped, { start, end: start + word.length });
  return place && code.slice(place.start, place.end);
}

describe('every character goes back to where it was written', () => {
  test.each([
    ['plain', 'x = "delete from a"'],
    ['triple quotes', 'x = """\n  delete\n\tfrom a\n"""'],
    ['emoji before and inside', 'y = "😀"; x = "😀 insert from a"'],
    ['escapes', 'x = "\\n\\t\\u00e9 from a"'],
    ['raw', 'x = r"\\n from a"'],
    ['line continuation', 'x = "sel \\\nfrom a"'],
    ['implicit concatenation', 'x = ("a " # why\n  "from a")'],
    ['plus', 'x = "a " + "from a"'],
    ['f-string', 'x = f"{1} {{}} from a {y}"'],
    ['format', 'x = "{} from a".format("insert")'],
    ['percent', 'x = "%s from a" % "insert"'],
    ['dedent', 'from textwrap import dedent\nx = dedent("""\n    a\n    from a\n""")'],
    ['strip', 'x = "  from a  ".strip()'],
    ['replace', 'x = "T from a".replace("T", "table")'],
    ['slice', 'x = "abc from a"[3:]'],
    ['join', 'x = ", ".join(["a", "from a"])'],
    ['variable', 'q = "select 1 from a"\nx = q'],
    ['function', 'def f(t):\n  return "insert into " + t + " from a"\nx = f("b")'],
  ])('%s', (_, code) => {
    for (const variant of [code, code.replaceAll('\n', '\r\n')]) {
      expect(writtenAt(variant, 'from a')).toBe('from a');
      expect(textOf(variant).mapped.text).not.toContain('\r');
    }
  });

  test('what an escape or a substituted constant says maps to the whole of it', () => {
    expect(writtenAt('x = "a\\u00e9b"', 'é')).toBe('\\u00e9');
    expect(writtenAt('T = "orders"\nx = f"from {T}"', 'orders')).toBe('{T}');
    expect(writtenAt('T = "orders"\nx = "from " + T', 'orders')).toBe('T');
    expect(writtenAt('x = "from %s" % "orders"', 'orders')).toBe('%s');
    expect(writtenAt('P = "where d = 1"\nx = f"delete from a {P}"', 'd = 1')).toBe('d = 1');
  });

  test('the text of an imported file maps to that file', () => {
    const { mapped } = textOf('x = open("sql/a.sql").read()', { 'sql/a.sql': 'select 1' });
    expect(locate(mapped, { start: 0, end: 6 })).toEqual({ file: 'sql/a.sql', start: 0, end: 6 });
  });
});

describe('string literals', () => {
  const source = fc.string({
    unit: fc.constantFrom('a', ' ', '\t', '😀', '{', '}', '\\', '\n', '\r\n', 'é', 'x41', 'u0042', '7', '%', '#', '.'),
    maxLength: 30,
  });

  test('exact pieces are equal in file and text, and pieces never overlap', () => {
    fc.assert(
      fc.property(source, fc.constantFrom('', 'r', 'f', 'rf', 'b'), (body, prefix) => {
        // A trailing backslash would escape the quote.
        const code = `x = ${prefix}"""${body.replace(/\\+$/, '')}"""\n`;
        const value = followPython(code).get('x');
        if (value?.kind !== 'text') return;
        let end = 0;
        for (const piece of value.mapped.pieces) {
          expect(piece.at).toBeGreaterThanOrEqual(end);
          end = piece.at + piece.length;
          if (!piece.exact) continue;
          expect(piece.source.end - piece.source.start).toBe(piece.length);
          expect(code.slice(piece.source.start, piece.source.end)).toBe(value.mapped.text.slice(piece.at, end));
        }
        expect(end).toBe(value.mapped.text.length);
      }),
      { numRuns: lawRuns(400) },
    );
  });

  test('a text without escapes and braces is the text of the file with \\n line ends', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', ' ', '😀', '\n', '\r\n', '\t', "'"), maxLength: 40 });
    fc.assert(
      fc.property(plain, (body) => {
        expect(textOf(`x = """${body}"""\n`).mapped.text).toBe(body.replaceAll('\r\n', '\n'));
      }),
    );
  });
});
