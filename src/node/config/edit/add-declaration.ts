import { Document, isMap, isScalar, isSeq, type Node, Pair, parseDocument, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { writtenName } from '../../../core/sql/model/name-parts.ts';
import { lineIndex } from '../../../core/text/line-index.ts';
import type { Position } from '../../../core/text/span.ts';
import type { DeclarationDraft, DraftRead, DraftWrite } from '../../../core/view/document/draft-declaration.ts';
import { keepLines } from './keep-lines.ts';

export interface AddedDeclaration {
  readonly text: string;
  /** What a person looks at first: the first value to fill in, else the first one that is only a start. 1-based. */
  readonly selection: { readonly start: Position; readonly end: Position };
}

const readsComment = ' What it reads for one interval; window: all for a whole table, [] for nothing.';
const writesComment =
  ' What it writes, and the time column that cuts it into intervals; slice: all for a whole table, [] for nothing.';

/**
 * The text of `backfill.yaml` with an entry for a task; what is declared already, comments and everything else stay
 * as they are. `source` is `undefined` where there is no file yet. A file that is not valid YAML is refused in words.
 */
export function addDeclaration(
  source: string | undefined,
  draft: DeclarationDraft,
): AddedDeclaration | { readonly wrong: string } {
  if (!draft.complete && draft.searchPath === undefined && draft.reads.length === 0 && draft.writes.length === 0) {
    return { wrong: `Nothing is unknown of ${draft.task}: there is nothing to declare.` };
  }
  const document = source === undefined || source.trim() === '' ? new Document({ version: 1 }) : parseDocument(source);
  if (document.errors.length > 0 || !isMap(document.contents)) {
    return { wrong: 'backfill.yaml is not valid; mend it first, its problems are shown in the file' };
  }
  writeDraft(document as Document, draft);
  const text = document.toString({ lineWidth: 0, indent: indentOf(source ?? '') });
  return withSelection(keepLines(source ?? '', text), draft);
}

/** The entries alone, as they are pasted into a `backfill.yaml`. */
export function declarationYaml(drafts: readonly DeclarationDraft[]): string {
  const document = new Document({});
  for (const draft of drafts) writeDraft(document, draft);
  return document.toString({ lineWidth: 0 });
}

function writeDraft(document: Document, { task, complete, reads, writes, searchPath }: DeclarationDraft): void {
  if (searchPath !== undefined) {
    addFolders(mapAt(mapAt(document.contents as YAMLMap, 'dags'), searchPath.dag), searchPath.folders);
    return;
  }
  const entry = mapAt(mapAt(document.contents as YAMLMap, 'tasks'), task);
  if (complete || reads.length > 0) listInto(entry, 'reads', readsComment, reads.map(readItem));
  if (complete || writes.length > 0) listInto(entry, 'writes', writesComment, writes.map(writeItem));
}

function addFolders(dag: YAMLMap, folders: readonly string[]): void {
  const found = dag.get('template_searchpath', true) as Node | undefined;
  const list = isSeq(found) ? found : new YAMLSeq();
  if (list !== found) dag.set('template_searchpath', list);
  const known = new Set(list.items.map((item) => (isScalar(item) ? item.value : item)));
  for (const folder of folders) if (!known.has(folder)) list.add(new Scalar(folder));
  list.flow = true;
}

type Item = readonly (readonly [name: string, value: string | undefined])[];

const readItem = ({ table, column }: DraftRead): Item => [
  ['table', table],
  ...(column === undefined ? [] : [['column', column] as const]),
  ['from', 'start'],
  ['to', 'end'],
];

const writeItem = ({ table, column, slice }: DraftWrite): Item => [
  ['table', table],
  ...(slice === 'all' ? [] : [['column', column] as const]),
  ...(slice === undefined ? [] : [['slice', slice] as const]),
];

/** The map under a name, made where there is none (or nothing but comments). */
function mapAt(parent: YAMLMap, name: string): YAMLMap {
  const found = parent.get(name, true) as Node | undefined;
  if (isMap(found)) return found as YAMLMap;
  const made = new YAMLMap();
  // A section whose lines are all commented out keeps them.
  if (isScalar(found)) {
    made.commentBefore = found.commentBefore ?? null;
    made.comment = found.comment ?? null;
  }
  parent.set(name, made);
  return made;
}

/** The indentation that a file uses for its first nested line. */
const indentOf = (source: string): number => /^( +)[^\s#-]/m.exec(source)?.[1]?.length ?? 2;

function listInto(entry: YAMLMap, name: string, comment: string, items: readonly Item[]): void {
  const found = entry.get(name, true) as Node | undefined;
  const list = isSeq(found) ? found : new YAMLSeq();
  if (list !== found) {
    const key = new Scalar(name);
    key.commentBefore = comment;
    entry.delete(name);
    entry.items.push(new Pair(key, list));
  }
  for (const item of items) {
    const [, table] = item[0] ?? [];
    const known =
      table === undefined ? undefined : list.items.find((one) => isMap(one) && isSame(one.get('table'), table));
    const map = isMap(known) ? (known as YAMLMap) : new YAMLMap();
    if (map !== known) list.add(map);
    for (const [key, value] of item) if (!map.has(key)) map.set(key, value ?? empty());
  }
  // An empty list that was written as [] has room for nothing else.
  if (list.items.length > 0) list.flow = false;
}

const isSame = (written: unknown, table: string): boolean =>
  writtenName(String(written)).toLowerCase() === writtenName(table).toLowerCase();

/** A value that is not there yet: `table:` with nothing behind it, which is said as a problem until it is filled in. */
function empty(): Scalar {
  const value = new Scalar(null);
  value.source = '';
  return value;
}

/** Puts a blank behind each key that wants a value, so that typing there gives valid YAML, and finds the first place. */
function withSelection(text: string, { task, searchPath }: DeclarationDraft): AddedDeclaration {
  if (searchPath !== undefined) {
    const list = parseDocument(text).getIn(['dags', searchPath.dag, 'template_searchpath'], true) as Node | undefined;
    const [from = 0, to = 0] = list?.range ?? [];
    const lines = lineIndex(text);
    return { text, selection: { start: lines.position(from), end: lines.position(to) } };
  }
  const entry = parseDocument(text).getIn(['tasks', task], true);
  const values = ['reads', 'writes'].flatMap((name) => valuesOf(isMap(entry) ? entry.get(name, true) : undefined));
  const blanks = values.filter(({ value }) => value === null).map(({ range }) => range?.[0] ?? 0);
  const start = values.find(({ value }) => value === 'start');
  const spaced = blanks.reduceRight((all, at) => `${all.slice(0, at)} ${all.slice(at)}`, text);
  const [first] = blanks;
  const [from, to] = first === undefined ? (start?.range ?? [0, 0]) : [first + 1, first + 1];
  const lines = lineIndex(spaced);
  return { text: spaced, selection: { start: lines.position(from), end: lines.position(to) } };
}

const valuesOf = (list: unknown): readonly Scalar[] =>
  isSeq(list)
    ? list.items.flatMap((item) =>
        isMap(item) ? item.items.flatMap(({ value }) => (isScalar(value) ? [value] : [])) : [],
      )
    : [];
