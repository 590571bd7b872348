import type { WorkspaceFacts } from '../lineage/facts/workspace-facts.ts';
import type { Pipeline } from '../pipeline/model/model.ts';
import { oncePer } from '../pipeline/workspace/memo.ts';
import { allRules } from './all-rules.ts';
import { readSuppressions, type Suppressions } from './source/suppressions.ts';

/** The suppressions of every file that a pipeline is made of, sorted by file; a file is read again when its text changes. */
export function createSuppressions(): (facts: WorkspaceFacts) => ReadonlyMap<string, Suppressions> {
  const rules = new Set(allRules.map((rule) => rule.id));
  const filesOf = oncePer(filesOfPipeline);
  let read: ReadonlyMap<string, { readonly text: string; readonly suppressions: Suppressions }> = new Map();
  return (facts) => {
    const files = [...new Set(facts.pipelines.flatMap(filesOf))].sort();
    const before = read;
    read = new Map(
      files.map((file) => {
        const text = facts.text(file) ?? '';
        const known = before.get(file);
        return [file, known?.text === text ? known : { text, suppressions: readSuppressions(file, text, rules) }];
      }),
    );
    return new Map([...read].map(([file, { suppressions }]) => [file, suppressions]));
  };
}

const filesOfPipeline = ({ file, tasks }: Pipeline): readonly string[] => [
  ...new Set([
    file,
    ...tasks.flatMap(({ sql }) => sql.flatMap(({ source }) => source.pieces.map((piece) => piece.source.file))),
  ]),
];
