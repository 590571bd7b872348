import type { SourceSpan } from '../../../../text/span.ts';
import type { Unread } from '../../../model/table-access.ts';
import type { Value } from '../../../python/values/value.ts';
import type { Program } from '../program/program.ts';

/** Notes once what of the running task's Python is not known. */
export function noteUnread(program: Program, hides: Unread['hides'], reason: string, at: SourceSpan): void {
  const unread = program.running?.unread;
  const isKnown = unread?.some(
    (other) => other.hides === hides && other.at.file === at.file && other.at.start === at.start,
  );
  if (isKnown === false) unread?.push({ hides, reason, at });
}

/** Why a value is not known, in words that follow "because". */
export function reasonFor(value: Value, otherwise: string): string {
  switch (value.kind) {
    case 'unknown':
      return value.reason;
    case 'symbol':
      return value.symbol.kind === 'parameter'
        ? `it comes from ${value.symbol.source} ${value.symbol.name}`
        : value.symbol.kind === 'state'
          ? `it comes from ${value.symbol.name}`
          : otherwise;
    case 'external':
      return `${value.name} is defined outside the workspace`;
    case 'host':
      return value.host.type === 'output' || value.host.type === 'task' ? 'it is what another task returns' : otherwise;
    default:
      return otherwise;
  }
}
