import type { SourceSpan } from '../../text/span.ts';
import type { LintContext } from './lint-context.ts';

/** What stands at a place of the workspace; empty where its file is not read. */
export const textAt = (context: Pick<LintContext, 'text'>, { file, start, end }: SourceSpan): string =>
  context.text(file)?.slice(start, end) ?? '';
