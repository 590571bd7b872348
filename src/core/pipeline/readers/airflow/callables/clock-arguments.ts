import { argumentClocks } from '../../../python/execute/call-value.ts';
import { clocksOf, unionOfClocks } from '../../../python/values/make-value.ts';
import type { Call, ClockSite, Value } from '../../../python/values/value.ts';

/** A clock reading that a call is given: where something lies depends on it, or it is some other argument. */
export interface ClockArgument {
  readonly site: ClockSite;
  readonly into: 'path' | 'argument';
}

const pathLike =
  /^f?open$|urlopen|open_(?:file|url|text|input|output)|path|read_|to_csv|to_parquet|to_json|upload|download|load_file|load_string|load_bytes|put_object|get_object|key|blob|copy|save|write|listdir|glob|makedirs/i;

/** Methods of a path, which is what the file that they write is named by. */
const ofPath = /^write_(?:text|bytes)$/;

/** The clock readings that a call is given, by what they decide. `last`: the function's own name. */
export function clockArguments(last: string, call: Call, self: Value | undefined): readonly ClockArgument[] {
  const as = (into: ClockArgument['into'], sites: readonly ClockSite[]) => sites.map((site) => ({ site, into }));
  if (!pathLike.test(last)) return as('argument', argumentClocks(call));
  const named = self !== undefined && ofPath.test(last) ? clocksOf(self) : [];
  const isContent = contentPosition(last, call);
  const given = [
    ...call.positional.map((value, index) => ({ value, content: isContent(index) })),
    ...[...call.keywords.values()]
      .filter(({ name }) => !isAge(name, call))
      .map(({ name, value }) => ({ value, content: contentName.test(name) })),
  ].map(({ value, content }) => ({
    value,
    // A request that was made before holds what is sent, too.
    content: content || value.kind === 'dict' || (last === 'urlopen' && value.kind !== 'text'),
  }));
  const clocks = (wanted: boolean) =>
    unionOfClocks(given.filter(({ content }) => content === wanted).map(({ value }) => value));
  return [...as('path', [...named, ...clocks(false)]), ...as('argument', clocks(true))];
}

/** Only an upper bound, as in `list_keys(to_datetime=…)`: what has grown old, and no slice. */
const isAge = (name: string, { keywords }: Call): boolean => name === 'to_datetime' && !keywords.has('from_datetime');

/** Keyword arguments that are what is written, or are told about it. */
const contentName =
  /^(?:data|body|contents?|payload|text|string|string_data|bytes_data|bytes|file_?obj|obj|object_data|df|dataframe|frame|lines|rows?|records|metadata|tags|tagging|headers|extra_?args|expires|expires_at|mtime)$/i;

/** Which of a call's positional arguments are what is written, by how libraries order them. */
function contentPosition(last: string, { positional, keywords }: Call): (index: number) => boolean {
  // The file is open already, unless a second argument is what is written to the path that the first names.
  if (last === 'write' && positional.length + keywords.size > 1) return (index) => index > 0;
  if (/^write(?:_?(?:text|bytes|lines?|rows?))?$/.test(last)) return () => true;
  if (/^(?:load_string|load_bytes|load_file_obj|upload_fileobj|upload_from_\w+|upload_data|write_table)$/.test(last))
    return (index) => index === 0;
  if (last === 'writestr') return (index) => index === 1;
  // Of a client of one blob the data come first, of its container the name does.
  if (last === 'upload_blob') return (index) => index === positional.length - 1;
  // `GCSHook.upload(bucket, object, file, data)`.
  if (last === 'upload') return (index) => index >= 3;
  return () => false;
}
