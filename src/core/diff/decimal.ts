/** A decimal as databases write it; `undefined` for NaN and infinities, which cannot be added up. */
interface Parsed {
  readonly digits: bigint;
  readonly scale: number;
}

const pattern = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

function parse(text: string): Parsed | undefined {
  const match = pattern.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function write({ digits, scale }: Parsed): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  if (scale === 0) return `${sign}${text}`;
  const fraction = text.slice(-scale).replace(/0+$/, '');
  return `${sign}${text.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Adds decimals to the last digit; `undefined` where one of them is no number. Zeros at the end are not written. */
export function addDecimals(...texts: readonly string[]): string | undefined {
  let sum: Parsed = { digits: 0n, scale: 0 };
  for (const text of texts) {
    const next = parse(text);
    if (next === undefined) return undefined;
    const scale = Math.max(sum.scale, next.scale);
    const at = ({ digits, scale: own }: Parsed): bigint => digits * 10n ** BigInt(scale - own);
    sum = { digits: at(sum) + at(next), scale };
  }
  return write(sum);
}

/** `a - b`, as {@link addDecimals}. */
export function subtractDecimals(a: string, b: string): string | undefined {
  return addDecimals(a, b.startsWith('-') ? b.slice(1) : `-${b}`);
}
