/** A name that is not taken yet, as Airflow numbers them: `load`, `load__1`, `load__2`; the number goes on from the highest. */
export function numberedName(prefix: string, name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(prefix + name)) return name;
  const base = name.replace(/__\d+$/, '');
  const start = `${prefix}${base}__`;
  let highest = 0;
  for (const other of taken)
    if (other.startsWith(start) && /^\d+$/.test(other.slice(start.length)))
      highest = Math.max(highest, Number(other.slice(start.length)));
  return `${base}__${highest + 1}`;
}
