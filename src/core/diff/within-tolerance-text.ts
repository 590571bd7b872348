/** How many of some changed rows moved by no more than the tolerance of floats, in parentheses behind their number. */
export const withinToleranceText = (count: number, of: number | undefined): string =>
  `(${count === of ? (of === 1 ? '' : 'all ') : `${count} `}equal within tolerance)`;
