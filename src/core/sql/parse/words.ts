const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that open the next clause behind a finished expression, or the next entry of FROM. */
export const clauseWords = words(`
  select from where group having qualify window order limit offset fetch union intersect except minus on using
  returning set insert distribute sort cluster connect start lateral join inner left right full cross natural outer asof
  semi anti positional straight_join global when into values for tablesample with then overwrite when pivot unpivot
  settings format do`);

/** Words that cannot be the name of a column or alias unless quoted. */
export const reservedOperands = words(`
  select from where group order having union intersect except minus on join inner cross when then else end and or as
  into returning limit using natural set by qualify`);

/** Words behind a table that are not its alias. */
export const afterTable = words(`
  where group having qualify window order limit offset fetch union intersect except minus on using returning set select
  insert values distribute sort cluster connect start lateral join inner left right full cross natural outer asof semi anti
  positional straight_join global directed when into for tablesample sample with then pivot unpivot match_recognize match_condition from at before
  changes use force ignore partition as final do overwrite by version timestamp and or any
  settings format clone to swap rename`);

/** Words behind a select item that are not its alias. */
export const afterItem = words(`
  from where group having qualify window order limit offset fetch union intersect except minus on using returning
  insert distribute sort cluster connect start lateral join inner left right full cross natural into for tablesample with
  then when as and or not is in between like ilike rlike regexp similar end else collate over filter within values bulk
  at`);

/** Words that begin a query inside a bracket. */
export const queryStarts = words('select with from values table');
