import type { AstReader } from '../../sql/ast/ast-reader.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import { underSearchPath } from '../../sql/names/under-search-path.ts';
import { readSql } from '../../sql/read-sql.ts';
import { maskTemplate } from '../../template/mask/mask.ts';
import type { Hole, MaskedText } from '../../template/mask/masked-text.ts';
import type { TemplateEnvironment } from '../../template/names/template-environment.ts';
import type { MappedText } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { DriverParameters } from './driver-parameters.ts';
import type { TaskSql } from './model.ts';

/** What only some texts have. */
export interface TaskSqlParts {
  readonly session?: number | undefined;
  readonly commits?: number | undefined;
  readonly byRow?: boolean | undefined;
  readonly sentBy?: SourceSpan | undefined;
  readonly environment?: TemplateEnvironment | undefined;
  readonly sessionZone?: ZoneName | undefined;
  /** Under which Python sends it. */
  readonly conditions?: TaskSql['conditions'];
  readonly parameters?: DriverParameters | undefined;
  /** Schemas that its session looks through for names without one, where that is said. */
  readonly searchPath?: readonly string[] | undefined;
  readonly composed?: TaskSql['composed'] | undefined;
  readonly overwrites?: TaskSql['overwrites'] | undefined;
  /** Is sent as it stands: `{{ … }}` in it is no template. */
  readonly plain?: boolean | undefined;
}

export const withParts = (
  sql: TaskSql,
  {
    session,
    commits = 0,
    byRow,
    sentBy,
    environment,
    sessionZone,
    parameters,
    composed,
    overwrites,
    conditions = [],
  }: TaskSqlParts,
): TaskSql => ({
  ...sql,
  ...(session === undefined ? {} : { session }),
  ...(commits === 0 ? {} : { commits }),
  ...(byRow === true ? { byRow } : {}),
  ...(sentBy === undefined ? {} : { sentBy }),
  ...(environment === undefined ? {} : { environment }),
  ...(sessionZone === undefined ? {} : { sessionZone }),
  ...(conditions.length === 0 ? {} : { conditions }),
  ...(parameters === undefined ? {} : { parameters }),
  ...(composed === undefined ? {} : { composed }),
  ...(overwrites === undefined ? {} : { overwrites }),
});

/** Reads one text of SQL: mask, then statements, all over one set of offsets. `ast` as in {@link readSql}. */
export function makeTaskSql(
  source: MappedText,
  pythonHoles: readonly Hole[],
  dialect: DialectName,
  origin: TaskSql['origin'],
  parts: TaskSqlParts = {},
  ast?: AstReader,
): TaskSql {
  const readAs = (masked: MaskedText): Pick<TaskSql, 'masked' | 'reading'> => {
    const read = readSql(masked, dialect, ast);
    return { masked, reading: dialect === 'postgres' ? underSearchPath(read, masked, parts.searchPath) : read };
  };
  const masked = maskTemplate(source.text, pythonHoles, parts.environment, parts.plain);
  const otherWays = (masked.ways ?? []).slice(0, mostWays).flatMap((way) => {
    const other = maskTemplate(source.text, pythonHoles, parts.environment, parts.plain, way);
    return other.text === masked.text ? [] : [{ ...way, ...readAs(other) }];
  });
  const read = { source, origin, dialect, ...readAs(masked), pythonHoles };
  return withParts(otherWays.length === 0 ? read : { ...read, otherWays }, parts);
}

/** A text with more of them is put together by its branches rather than decided. */
const mostWays = 6;
