import type { AccessMode, TableAccess } from '../../../src/core/pipeline/model/table-access.ts';
import { unknownValue } from '../../../src/core/template/names/symbolic-value.ts';
import type { SourceSpan } from '../../../src/core/text/span.ts';

/** The parts of an access that a test is about. */
export interface TaskAccess {
  readonly direction: TableAccess['direction'];
  readonly table?: string;
  /** Why the table is not known. */
  readonly unknown?: string;
  readonly mode?: AccessMode;
  readonly partition?: 'ds_nodash';
  readonly at?: SourceSpan;
}

/** An access as a reader gives it for `to_sql`. */
export function accessOf({ direction, table = 'x.t', unknown, mode, partition, at }: TaskAccess): TableAccess {
  const place = at ?? { file: 'dags/d.py', start: 0, end: 1 };
  return {
    direction,
    table: { value: unknown === undefined ? { kind: 'literal', value: table } : unknownValue(unknown), at: place },
    by: 'to_sql',
    mode: mode && { value: mode, at: undefined },
    partition: partition && {
      value: {
        kind: 'time',
        time: { anchor: 'start', steps: [{ kind: 'floor', unit: 'day', zone: 'UTC' }] },
        form: 'basic-date',
      },
      at: place,
    },
    key: [],
    at: place,
  };
}
