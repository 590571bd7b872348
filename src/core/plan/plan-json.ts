import { toIso } from '../time/zones/iso.ts';
import type { Plan, Reason } from './model/plan.ts';
import { unitId } from './model/unit-id.ts';

/**
 * Neighbouring units of one task that are written out one by one. A task that reads all of its past waits for thousands
 * of units in each of its own, so without a limit ten years of days would give tens of millions of ids.
 */
const mostIds = 100;

/** The `plan` contract of the command line; instants are ISO 8601 in UTC. */
export interface PlanJson {
  readonly version: 1;
  readonly horizon: string;
  readonly units: readonly {
    readonly id: string;
    readonly task: string;
    readonly start: string;
    readonly end: string;
    readonly reasons: readonly Readonly<Record<string, string>>[];
    /** Ids of units, in the order of their tasks' intervals; of more than {@link mostIds} of one task first and last. */
    readonly waitsFor: readonly string[];
    /** Those runs of units of one task of which `waitsFor` names the ends only; `count` holds both ends. */
    readonly waitsForRanges?: readonly { readonly first: string; readonly last: string; readonly count: number }[];
    readonly executor: string;
    readonly blockedBy?: string;
    readonly slices: readonly {
      readonly table: string;
      readonly column: string | null;
      readonly from: string | null;
      readonly to: string | null;
      readonly mode: string;
    }[];
  }[];
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly task: string | null;
  }[];
  readonly widened: readonly {
    readonly task: string;
    readonly from: string;
    readonly to: string;
    readonly because: string;
  }[];
}

/** Encodes a plan. */
export function planJson(plan: Plan): PlanJson {
  const idAt = (task: string, index: number): string => {
    const unit = plan.units[plan.byTask.get(task)?.[index] ?? -1];
    return unit === undefined ? task : unitId(unit.task, unit.start);
  };
  return {
    version: 1,
    horizon: toIso(plan.now),
    units: plan.units.map((unit) => ({
      id: unit.id,
      task: unit.task,
      start: toIso(unit.start),
      end: toIso(unit.data.end),
      reasons: unit.reasons.map(reasonJson),
      waitsFor: unit.waitsFor.flatMap(({ task, first, last }) =>
        last - first < mostIds
          ? Array.from({ length: last - first + 1 }, (_, offset) => idAt(task, first + offset))
          : [idAt(task, first), idAt(task, last)],
      ),
      ...rangesJson(unit.waitsFor, idAt),
      executor: unit.executor.kind,
      ...(unit.blockedBy === undefined ? {} : { blockedBy: unit.blockedBy }),
      slices: unit.slices.map(({ table, column, from, to, mode }) => ({
        table,
        column: column ?? null,
        from: from === undefined ? null : toIso(from),
        to: to === undefined ? null : toIso(to),
        mode,
      })),
    })),
    findings: plan.findings.map(({ code, severity, message, task }) => ({
      code,
      severity,
      message,
      task: task ?? null,
    })),
    widened: plan.widened.map(({ task, from, to, because }) => ({ task, from: toIso(from), to: toIso(to), because })),
  };
}

function rangesJson(
  waitsFor: Plan['units'][number]['waitsFor'],
  idAt: (task: string, index: number) => string,
): Pick<PlanJson['units'][number], 'waitsForRanges'> {
  const long = waitsFor.filter(({ first, last }) => last - first >= mostIds);
  if (long.length === 0) return {};
  return {
    waitsForRanges: long.map(({ task, first, last }) => ({
      first: idAt(task, first),
      last: idAt(task, last),
      count: last - first + 1,
    })),
  };
}

function reasonJson(reason: Reason): Readonly<Record<string, string>> {
  switch (reason.kind) {
    case 'selected':
    case 'own-tail':
      return { kind: reason.kind };
    case 'by-order':
      return { kind: reason.kind, parent: reason.parent };
    case 'reads-parent': {
      const { kind, parent, table, from, to } = reason;
      return { kind, parent, table, from: toIso(from), to: toIso(to) };
    }
  }
}
