import type { Sourced } from '../../model.ts';
import type { Keyword } from '../../python/call.ts';

export function numberOf(keyword: Keyword | undefined): Sourced<number> | undefined {
  return keyword?.value.kind === 'scalar' && typeof keyword.value.value === 'number'
    ? { value: keyword.value.value, at: keyword.at }
    : undefined;
}

export function booleanOf(keyword: Keyword | undefined): Sourced<boolean> | undefined {
  return keyword?.value.kind === 'scalar' && typeof keyword.value.value === 'boolean'
    ? { value: keyword.value.value, at: keyword.at }
    : undefined;
}
