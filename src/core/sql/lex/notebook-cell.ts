const cell = /-- COMMAND -{5,}[ \t]*(?=\r|\n|$)/y;

/** True at the comment that parts two cells of a notebook kept as a SQL file: what is before it is a statement of its own. */
export function notebookCell(text: string, at: number): boolean {
  cell.lastIndex = at;
  return cell.test(text);
}
