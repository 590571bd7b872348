/** One measured number. Targets are those of the design; a figure without one is there to compare with. */
export interface Figure {
  readonly part: string;
  readonly what: string;
  /** Median over the rounds; a ratio is the median of the ratios of each round. */
  readonly value: number;
  readonly unit: '×' | 'ms' | 's' | 'MB' | 'KB' | 'files/s' | 'statements';
  /** The number that `value` must not exceed. */
  readonly atMost: number | undefined;
  /** What the ratio is made of, e.g. `610 ms ÷ 270 ms`. */
  readonly detail: string;
}

/** A figure of one part. */
export const figureOf =
  (part: string) =>
  (what: string, value: number, unit: Figure['unit'], atMost: number | undefined, detail = ''): Figure => ({
    ...{ part, what, value, unit, atMost, detail },
  });

export const isMet = ({ value, atMost }: Figure): boolean | undefined =>
  atMost === undefined ? undefined : value <= atMost;
