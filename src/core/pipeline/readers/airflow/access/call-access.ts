import type { AccessMode } from '../../../model/table-access.ts';
import type { ModeArgument } from '../transfers/transfer-operator.ts';

/** An argument of a call. `path` leads on from it: keys of a dict, or attributes of an object (`job_config`). */
export interface CallArgument {
  readonly name: string;
  /** Where it stands when it is given without its name. */
  readonly position?: number;
  readonly path?: readonly string[];
}

/** What one call in Python does to a table that its arguments name. */
export interface CallAccess {
  /** Only where this matches the receiver's type, else the full name of the function. */
  readonly of?: RegExp;
  readonly direction: 'read' | 'write';
  readonly table: CallArgument;
  /** Leading parts of the name in arguments of their own, outermost first; each may be left out. */
  readonly within?: readonly CallArgument[];
  /** The call touches the table only when all of these are given. */
  readonly needs?: readonly CallArgument[];
  readonly mode?: CallArgument & Pick<ModeArgument, 'modes'>;
  /** Of a write, when the argument is left out. */
  readonly silent?: AccessMode;
  readonly key?: CallArgument;
  /** Through SQLAlchemy, which quotes a name with capitals: they stay as they are. */
  readonly quotes?: true;
}
