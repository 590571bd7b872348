import { argument } from '../../../python/calls/call.ts';
import { hostValue, none } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';
import { edgeBetween } from '../program/edges.ts';
import { numberedName } from '../program/numbered-name.ts';
import { type DagBuilder, type GroupBuilder, hostOf, type Program } from '../program/program.ts';

/**
 * `TaskGroup(…)` or, `called`, a call of a function under `@task_group`: prefixes the ids of its tasks and stands for
 * all of them in dependencies.
 */
export function openGroup(program: Program, call: Call, defaultId = '', called = false): GroupBuilder {
  const parent = hostOf<GroupBuilder>(call.keywords.get('parent_group')?.value, 'group') ?? program.groupStack.at(-1);
  const dag = hostOf<DagBuilder>(call.keywords.get('dag')?.value, 'dag') ?? program.dagStack.at(-1);
  const said = argument(call, 'group_id', 0)?.value;
  const given = said === undefined ? defaultId : said.kind === 'text' ? said.mapped.text : '{group_id}';
  const suffix = call.keywords.get('add_suffix_on_collision')?.value;
  const numbered = called || (suffix?.kind === 'scalar' && suffix.value === true);
  const id = numbered ? freeGroupId(program, dag, parent, given) : given;
  const prefixes = call.keywords.get('prefix_group_id')?.value;
  const prefixed = !(prefixes?.kind === 'scalar' && prefixes.value === false);
  const group: GroupBuilder = {
    type: 'group',
    made: call,
    // A group that does not prefix leaves its parents' prefix out as well.
    prefix: prefixed && id !== '' ? `${parent?.prefix ?? ''}${id}.` : '',
    parent,
    id: `${parent?.prefix ?? ''}${id}`,
    dag,
    named: (parent?.named ?? true) && (said === undefined || plainText(said) !== undefined),
    tasks: [],
    enter() {
      program.groupStack.push(group);
      return hostValue(group);
    },
    exit() {
      program.groupStack.pop();
    },
    attribute(name) {
      if (name !== 'set_upstream' && name !== 'set_downstream') return undefined;
      const self: Value = hostValue(group);
      return hostValue({
        type: 'setter',
        call: ({ positional: [other], at }) => {
          if (other !== undefined)
            if (name === 'set_upstream') edgeBetween(program, other, self, at);
            else edgeBetween(program, self, other, at);
          return none;
        },
      });
    },
  };
  program.groups.push(group);
  return group;
}

/** Groups of one function are numbered: `load`, `load__1`, `load__2`. */
function freeGroupId(
  program: Program,
  dag: DagBuilder | undefined,
  parent: GroupBuilder | undefined,
  id: string,
): string {
  const prefix = parent?.prefix ?? '';
  const taken = new Set(program.groups.filter((group) => group.dag === dag).map((group) => group.id));
  return numberedName(prefix, id, taken);
}
