/** A decoder that knows the same characters, of servers whose databases hold one byte a character. */
const decoders: Readonly<Record<string, string>> = {
  LATIN2: 'iso-8859-2',
  LATIN3: 'iso-8859-3',
  LATIN4: 'iso-8859-4',
  LATIN5: 'windows-1254',
  LATIN6: 'iso-8859-10',
  LATIN7: 'iso-8859-13',
  LATIN8: 'iso-8859-14',
  LATIN9: 'iso-8859-15',
  LATIN10: 'iso-8859-16',
  ISO_8859_5: 'iso-8859-5',
  ISO_8859_6: 'iso-8859-6',
  ISO_8859_7: 'iso-8859-7',
  ISO_8859_8: 'iso-8859-8',
  KOI8R: 'koi8-r',
  KOI8U: 'koi8-u',
  WIN866: 'ibm866',
  WIN874: 'windows-874',
  WIN1250: 'windows-1250',
  WIN1251: 'windows-1251',
  WIN1252: 'windows-1252',
  WIN1253: 'windows-1253',
  WIN1254: 'windows-1254',
  WIN1255: 'windows-1255',
  WIN1256: 'windows-1256',
  WIN1257: 'windows-1257',
  WIN1258: 'windows-1258',
};

/** What this program writes beside letters. */
const plain: Readonly<Record<string, string>> = {
  '…': '...',
  '→': '->',
  '←': '<-',
  '−': '-',
  '–': '-',
  '—': '-',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '«': '"',
  '»': '"',
  '×': 'x',
  '·': '-',
  '≤': '<=',
  '≥': '>=',
};

/**
 * Puts a value of a statement into what a database can hold: one in LATIN1 has no ellipsis, and a reason that cannot be
 * written down would be lost. `undefined`: the database holds everything, or bytes that it does not look at. Statements
 * of tasks never go through this.
 */
export function fitToEncoding(encoding: string): ((value: string) => string) | undefined {
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return undefined;
  const known = encoding === 'LATIN1' ? undefined : knownTo(decoders[encoding]);
  const fits = (character: string): boolean => {
    if (character <= '\x7f') return true;
    if (encoding === 'LATIN1') return character >= '\xa0' && character <= '\xff';
    // Of several bytes a character: letters of the database's own names are among them, typographic signs need not be.
    return known === undefined ? plain[character] === undefined : known.has(character);
  };
  return (value) =>
    value.replace(/[\u0080-\u{10ffff}]/gu, (character) => (fits(character) ? character : (plain[character] ?? '?')));
}

function knownTo(label: string | undefined): ReadonlySet<string> | undefined {
  if (label === undefined) return undefined;
  const bytes = Uint8Array.from({ length: 128 }, (_, index) => index + 128);
  return new Set(new TextDecoder(label).decode(bytes).replaceAll('\ufffd', ''));
}
