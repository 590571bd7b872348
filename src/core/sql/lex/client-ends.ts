const cell = /-- COMMAND -{5,}[ \t]*(?=\r|\n|$)/y;

/** True at the comment that parts two cells of a notebook kept as a SQL file: what is before it is a statement of its own. */
export function notebookCell(text: string, at: number): boolean {
  cell.lastIndex = at;
  return cell.test(text);
}

const batchEnd = /go(?:[ \t]+\d+)?[ \t]*;?[ \t]*(?=\r|\n|$|--)/iy;

/** True at a line `GO`, with which the clients of SQL Server send what stands before it. */
export function isBatchEnd(text: string, at: number): boolean {
  batchEnd.lastIndex = at;
  return batchEnd.test(text);
}
