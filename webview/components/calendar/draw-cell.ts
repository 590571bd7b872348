import type { TemplateResult } from 'lit';
import type { CalendarCellView } from '../../../src/protocol/assistant-state.ts';

/** Draws one interval; `edges`: on which sides of it the selection ends. */
export type DrawCell = (cell: CalendarCellView, edges: string) => TemplateResult;
