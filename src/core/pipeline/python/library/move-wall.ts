import type { CalendarOffset } from '../../../time/zones/calendar.ts';
import { dayMs } from '../../../time/zones/civil.ts';
import { addMonths } from '../../../time/zones/shift.ts';
import { type WallTime, wallTime } from '../../../time/zones/wall-time.ts';

/** Python's `datetime + timedelta / relativedelta`: arithmetic on the wall reading, months first, day clamped. */
export const moveWall = (wall: WallTime, by: CalendarOffset): WallTime =>
  wallTime(addMonths(wall, by.months) + by.days * dayMs + by.ms);
