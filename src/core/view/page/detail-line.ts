/** Something to know beside the outcome, e.g. what a run locks; `copy`: a statement in it that can be carried away. */
export interface DetailLine {
  readonly term: string;
  readonly text: string;
  readonly copy: string | undefined;
}

/** A statement that a note ends with: `…; to free them: VACUUM (ANALYZE) mart.orders;` */
const advised = /\b(VACUUM [^;]+;)/;

/** A line under its term, with the statement that it advises. */
export const detailLine = (term: string, text: string): DetailLine => ({ term, text, copy: advised.exec(text)?.[1] });
