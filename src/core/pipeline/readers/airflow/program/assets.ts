import type { Sourced } from '../../../model/sourced.ts';
import { argument } from '../../../python/calls/call.ts';
import { hostValue, listOf } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, HostObject, Keyword, Value } from '../../../python/values/value.ts';

/** What a function under `@asset` stands for where an asset is expected. */
export interface AssetObject extends HostObject {
  readonly type: 'data-asset';
  readonly key: string;
}

/** An asset of the file's own making, that can be put together with others: `first & second`. */
export function assetObject(key: string): AssetObject {
  const asset: AssetObject = {
    type: 'data-asset',
    key,
    binary: (operator, left, right) =>
      operator === '&' || operator === '|'
        ? listOf([left, right].flatMap((side) => (side.kind === 'list' ? side.items : [side])))
        : undefined,
  };
  return asset;
}

/** One asset (dataset), several in a list, or a condition over several. */
const several = /(?:^|\.)(?:Asset|Dataset)(?:All|Any)$/;
const single = /(?:^|\.)(?:Asset|Dataset|AssetAlias|DatasetAlias|Model)(?:\.ref)?$|(?:^|\.)Asset(?:Name|Uri)Ref$/;

/**
 * The assets that a value names, each by its URI, or by its name where it has no other URI; `undefined` for one whose
 * name is not known. Values that are no assets are left out.
 */
export function assetsOf(value: Value, depth = 0): readonly (string | undefined)[] {
  if (depth > 6) return [];
  switch (value.kind) {
    case 'list':
      return value.items.flatMap((item) => assetsOf(item, depth + 1));
    case 'host':
      return value.host.type === 'data-asset' ? [(value.host as AssetObject).key] : [];
    case 'instance':
      if (several.test(value.type)) return value.call.positional.flatMap((item) => assetsOf(item, depth + 1));
      return single.test(value.type) ? [assetKey(value.call)] : [];
    default:
      return [];
  }
}

/** `Asset(name, uri)` and `Dataset(uri)` alike: where one is left out, it is the other. */
export function assetKey(call: Call): string | undefined {
  const uri = call.keywords.get('uri') ?? argument(call, 'uri', 1);
  return plainText(uri?.value) ?? plainText(argument(call, 'name', 0)?.value);
}

/** `outlets` or `inlets` of a task. */
export function assetArgument(given: Keyword | undefined): Sourced<string>[] {
  if (given === undefined) return [];
  return assetsOf(given.value).flatMap((asset) => (asset === undefined ? [] : [{ value: asset, at: given.at }]));
}

export const assetValue = (key: string): Value => hostValue(assetObject(key));
