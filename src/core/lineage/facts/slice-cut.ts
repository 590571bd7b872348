/** How the rows of an interval are told from others where no single column says their time. */
export type SliceCut =
  /** Columns that hold year, month, day and hour of one time, in this order, at least the first two. */
  | { readonly kind: 'parts'; readonly columns: readonly string[] }
  /** SQL over the table's columns that gives a date, timestamp or timestamptz; `columns` and `calls`: the names in it. */
  | {
      readonly kind: 'expression';
      readonly sql: string;
      readonly columns: readonly string[];
      readonly calls: readonly string[];
    };

/** What a slice is of where one word is to stand for it: readers that bound the year by parts are of the same. */
export const cutColumn = (cut: SliceCut): string => (cut.kind === 'parts' ? (cut.columns[0] ?? '') : oneLine(cut.sql));

/** By what a slice is cut, as people read it: `day`, `year, month, day`, `(payload ->> 'at')::date`. */
export const cutInWords = ({
  column,
  cut,
}: {
  readonly column: string;
  readonly cut?: SliceCut | undefined;
}): string => (cut?.kind === 'parts' ? cut.columns.join(', ') : column);

/** Columns that decide in which slice a row is. */
export const columnsOfCut = ({
  column,
  cut,
}: {
  readonly column: string | undefined;
  readonly cut?: SliceCut | undefined;
}): readonly string[] => cut?.columns ?? (column === undefined ? [] : [column]);

const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ').trim();
