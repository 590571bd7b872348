import { lastPart, type StatementView, tableKey } from './statement-view.ts';

export interface PipelineIndex<T> {
  /**
   * Statements, with their owners, that may have to do with a table: they name it as a target, or only their text
   * tells. In a pipeline of thousands of tasks every statement is not looked at for every other one.
   */
  on(key: string): readonly { readonly owner: T; readonly view: StatementView }[];
}

/** Kinds whose text is searched for names, or that name a second table. */
const byText = /^(do|other|rename|alter_.*)$/;

export function pipelineIndex<T extends { readonly statements: readonly StatementView[] }>(
  owners: readonly T[],
): PipelineIndex<T> {
  const named = new Map<string, { owner: T; view: StatementView }[]>();
  const always: { owner: T; view: StatementView }[] = [];
  for (const owner of owners) {
    for (const view of owner.statements) {
      if (byText.test(view.statement.kind)) {
        always.push({ owner, view });
        continue;
      }
      const names = view.statement.targets.flatMap((target) => [tableKey(view, target), target.name].map(lastPart));
      for (const name of new Set(names)) {
        const known = named.get(name);
        if (known === undefined) named.set(name, [{ owner, view }]);
        else known.push({ owner, view });
      }
    }
  }
  return { on: (key) => [...always, ...(named.get(lastPart(key)) ?? [])] };
}
