import type { TemplateSegment } from './scan-template.ts';

/** A tag by its index among the segments, with its keyword (`if`, `endfor`). */
export interface Tag {
  readonly index: number;
  readonly keyword: string;
  readonly rest: string;
}

/** A block and what divides it: `if`, `elif` and `else`, `endif`. */
export interface TemplateBlock {
  readonly keyword: string;
  readonly opening: Tag;
  /** `elif` and `else`, in order. */
  readonly dividers: readonly Tag[];
  readonly closing: Tag;
}

const blockKeywords: ReadonlySet<string> = new Set([
  'if',
  'for',
  'macro',
  'call',
  'filter',
  'set',
  'block',
  'with',
  'autoescape',
  'trans',
  'snapshot',
  'test',
  'materialization',
]);

/**
 * The blocks that are opened and closed. Unclosed ones are left out, so that half-typed code hides nothing behind it;
 * their opening segments are listed apart.
 */
export function templateBlocks(
  segments: readonly TemplateSegment[],
  text: string,
): { readonly blocks: readonly TemplateBlock[]; readonly unmatched: readonly TemplateSegment[] } {
  const blocks: TemplateBlock[] = [];
  const unmatched: TemplateSegment[] = [];
  const open: { opening: Tag; dividers: Tag[] }[] = [];
  const reject = (tag: Tag): void => {
    const segment = segments[tag.index];
    if (segment !== undefined) unmatched.push(segment);
  };
  for (const [index, segment] of segments.entries()) {
    if (segment.kind !== 'tag') continue;
    const [, keyword = '', rest = ''] =
      /^\s*(\w*)\s*([\s\S]*?)\s*$/.exec(text.slice(segment.inner.start, segment.inner.end)) ?? [];
    const tag = { index, keyword, rest };
    if (keyword === 'elif' || keyword === 'else') {
      const owner = open.findLast(({ opening }) => opening.keyword === 'if' || opening.keyword === 'for');
      if (owner === undefined) reject(tag);
      else owner.dividers.push(tag);
    } else if (keyword.startsWith('end')) {
      const at = open.findLastIndex(({ opening }) => `end${opening.keyword}` === keyword);
      if (at < 0) reject(tag);
      for (const inner of open.splice(at < 0 ? open.length : at + 1)) reject(inner.opening);
      const owner = at < 0 ? undefined : open.pop();
      if (owner !== undefined) blocks.push({ keyword: owner.opening.keyword, ...owner, closing: tag });
    } else if (blockKeywords.has(keyword) && !(keyword === 'set' && rest.includes('=')))
      open.push({ opening: tag, dividers: [] });
  }
  for (const { opening } of open) reject(opening);
  return { blocks, unmatched };
}

/** Blocks whose body defines something rather than standing in the output at this place. */
const definitions: ReadonlySet<string> = new Set(['macro', 'call', 'set', 'materialization']);

/**
 * Segments that a reading leaves out, by index: all branches of an `if` but the first that may be taken, the `else` of a
 * `for`, bodies of definitions. A loop is read as though it ran once, so `{% if not loop.last %}` is not taken in it.
 * `holds`: whether the condition of a tag does, where that is known.
 */
export function hiddenSegments(
  blocks: readonly TemplateBlock[],
  holds: (tag: Tag) => boolean | undefined,
  way?: Pick<BranchWay, 'condition' | 'branch'>,
): ReadonlySet<number> {
  const known = (tag: Tag): boolean | undefined => (tag.keyword === 'else' ? true : (loopOnce(tag.rest) ?? holds(tag)));
  const hidden = new Set<number>();
  const hide = (from: number, to: number): void => {
    for (let index = from + 1; index < to; index++) hidden.add(index);
  };
  for (const { keyword, opening, dividers, closing } of blocks) {
    if (definitions.has(keyword)) hide(opening.index, closing.index);
    const branches = [opening, ...dividers];
    if (branches.length === 1 && keyword !== 'if') continue;
    const first = branches.findIndex((tag) => known(tag) !== false);
    const isChosen = keyword === 'if' && first === 0 && opening.rest === way?.condition && known(opening) === undefined;
    const taken = isChosen ? way.branch : keyword === 'if' ? Math.max(0, first) : 0;
    const none = keyword === 'if' && branches.every((tag) => known(tag) === false);
    for (const [at, branch] of branches.entries())
      if (none || at !== taken) hide(branch.index, branches[at + 1]?.index ?? closing.index);
  }
  return hidden;
}

/** Branches of an `if` that a reading leaves out although a run may take them: the segments between two tags. */
export function passedBranches(
  blocks: readonly TemplateBlock[],
  holds: (tag: Tag) => boolean | undefined,
): readonly { readonly from: number; readonly to: number }[] {
  return blocks.flatMap(({ keyword, opening, dividers, closing }) => {
    if (keyword !== 'if') return [];
    const branches = [opening, ...dividers];
    const truths = branches.map((tag) => (tag.keyword === 'else' ? true : (loopOnce(tag.rest) ?? holds(tag))));
    const taken = truths.findIndex((truth) => truth !== false);
    const certain = truths.indexOf(true);
    return branches.flatMap(({ index }, at) =>
      taken === -1 || at <= taken || truths[at] === false || (certain !== -1 && at > certain)
        ? []
        : [{ from: index, to: branches[at + 1]?.index ?? closing.index }],
    );
  });
}

/** Another way through the blocks that are divided by one condition than the one that is read. */
export interface BranchWay {
  /** As the opening tag has it. */
  readonly condition: string;
  /** The branch, the opening one being 0; behind the last one: none of them. */
  readonly branch: number;
  /** When it is taken, as people read it: `not params.full`. */
  readonly when: string;
}

/** The ways that a run may go where the first branch of an `if` is read because nothing is known of its condition. */
export function branchWays(
  blocks: readonly TemplateBlock[],
  holds: (tag: Tag) => boolean | undefined,
): readonly BranchWay[] {
  const found = new Map<string, BranchWay>();
  for (const { keyword, opening, dividers } of blocks) {
    const condition = opening.rest;
    // Of an incremental model what is read is what a run of the schedule does.
    if (keyword !== 'if' || /\bis_incremental\b|^true$/i.test(condition)) continue;
    const branches = [opening, ...dividers];
    const truths = branches.map((tag) => (tag.keyword === 'else' ? true : (loopOnce(tag.rest) ?? holds(tag))));
    if (truths[0] !== undefined) continue;
    const certain = truths.indexOf(true);
    const last = certain === -1 ? branches.length : certain;
    for (let branch = 1; branch <= last; branch++) {
      if (truths[branch] === false) continue;
      const tag = branches[branch];
      const when = tag === undefined || tag.keyword === 'else' ? negatedWords(condition) : tag.rest;
      found.set(JSON.stringify([condition, branch]), { condition, branch, when });
    }
  }
  return [...found.values()];
}

const negatedWords = (condition: string): string =>
  /^not [\w.]+$/.test(condition)
    ? condition.slice(4)
    : /^[\w.]+$/.test(condition)
      ? `not ${condition}`
      : `not (${condition})`;

/** What a condition on `loop` is in a loop that runs once; `undefined` for any other condition. */
export function loopOnce(condition: string): boolean | undefined {
  const text = condition.replace(/\s+/g, ' ').trim();
  if (/^not loop\.(?:first|last)$/.test(text)) return false;
  if (/^loop\.(?:first|last)$/.test(text)) return true;
  if (/^loop\.index ?(?:>|!=) ?1$|^loop\.index0 ?(?:>|!=) ?0$|^loop\.index ?(?:<|!=) ?loop\.length$/.test(text))
    return false;
  return undefined;
}
