import type { PageRequest } from './page-request.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
/** What was typed and is no number arrives as null: whoever takes it says what is wanted. */
const typedNumber: Check = (value) => typeof value === 'number' || value === null;
const index: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const texts: Check = (value) => Array.isArray(value) && value.every(text);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** What each kind of request has beside its type. */
type Shapes = { readonly [Type in PageRequest['type']]: Fields<Extract<PageRequest, { readonly type: Type }>> };
type Fields<Request> = { readonly [Field in Exclude<keyof Request, 'type'>]-?: Check };

const shapes: Shapes = {
  ready: {},
  'set-range': { from: maybe(text), to: maybe(text), only: maybe(texts) },
  'include-task': { task: text, included: flag },
  'choose-connection': {},
  'use-connection': { name: text },
  'use-embedded': {},
  connect: {},
  'ask-again': {},
  'set-concurrency': { value: typedNumber },
  'set-compare': { value: oneOf('rows', 'checksums', 'none') },
  'set-shrink-percent': { value: maybe(typedNumber) },
  'set-stop-at-first-failure': { value: flag },
  'set-early-cutoff': { value: flag },
  'set-scheduler': { name: maybe(text), all: maybe(flag) },
  'select-task': { task: text },
  'set-measure': { task: text, measure: text },
  'set-calendar': { task: text, before: text },
  start: { mode: oneOf('run', 'preview') },
  prove: {},
  cancel: {},
  resume: {},
  'approve-held': { index },
  'approve-all': {},
  undo: { index: maybe(index) },
  'leave-undo': {},
  'select-unit': { index },
  'close-unit': {},
  'open-source': { task: text },
  'open-diff': { index },
  'open-task-log': { index },
  'mark-done': { index },
  observe: { last: maybe(flag) },
  'declare-observed': {},
  'copy-command': {},
  copy: { text },
  export: {},
  'show-log': {},
};

/** Whether a message is one that the page may send: a kind that there is, with exactly its fields, each of its type. */
export function isPageRequest(message: unknown): message is PageRequest {
  if (typeof message !== 'object' || message === null) return false;
  const { type, ...fields } = message as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return false;
  const shape: Readonly<Record<string, Check>> = shapes[type as PageRequest['type']];
  return (
    Object.keys(fields).every((name) => Object.hasOwn(shape, name)) &&
    Object.entries(shape).every(([name, check]) => check(fields[name]))
  );
}
