const simpleEscapes: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Decodes the escapes of a Jinja2 string, which are Python's (`\n`, `\x41`, `\u0041`, `\101`); unknown ones stay. */
export function unescapeString(raw: string): string {
  return raw.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (
      whole,
      two: string | undefined,
      four: string | undefined,
      eight: string | undefined,
      octal: string | undefined,
      simple: string | undefined,
    ) => {
      const hex = two ?? four ?? eight;
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16)) ?? whole;
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8)) ?? whole;
      return simpleEscapes[simple ?? ''] ?? whole;
    },
  );
}

const codePoint = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);
