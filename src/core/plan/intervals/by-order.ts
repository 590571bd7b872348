import { strayOf } from '../../lineage/facts/window-range.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { shift } from '../../time/zones/shift.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { PlannableTask } from '../model/plan-request.ts';

type OrderEdge = PlannableTask['after'][number];

/** The logical date of the parent that a child's run follows: the same, moved by the edge's shift. */
export const followedStart = (edge: OrderEdge, zone: ZoneName, start: Instant): Instant =>
  edge.shift === undefined ? start : shift(start, edge.shift, zone);

/** In ms, generously: how far the two logical dates of an edge can lie apart. */
export function followReach(edge: OrderEdge): number {
  if (edge.shift === undefined) return 0;
  const { back, forward } = strayOf({
    anchor: 'start',
    steps: [{ kind: 'shift', offset: edge.shift, zone: 'UTC' }],
  });
  return Math.max(back, forward);
}
