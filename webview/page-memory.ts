/** What the page alone knows: where the eye is. Nothing of it outlives the page. */
export interface PageMemory {
  /** Width of the main column in pixels. */
  width: number;
  /** What is open over the page. */
  popup: 'menu' | 'options' | undefined;
  /** Whether all findings are listed below the news. */
  findings: boolean;
  /** A part of the time axis, in milliseconds since the epoch. */
  zoom: { readonly from: number; readonly to: number } | undefined;
  /** Months, days or intervals that the calendar is scrolled back. */
  back: number;
  /** Cells between which the pointer was drawn, by their `from`. */
  drag: { readonly from: string; readonly to: string } | undefined;
  /** Where the keyboard is in the calendar, and where it began to select. */
  day: string | undefined;
  anchor: string | undefined;
  /** Where the keyboard is in the grid. */
  unit: number | undefined;
}

export const firstMemory = (): PageMemory => ({
  width: 800,
  popup: undefined,
  findings: false,
  zoom: undefined,
  back: 0,
  drag: undefined,
  day: undefined,
  anchor: undefined,
  unit: undefined,
});
