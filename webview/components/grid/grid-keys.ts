/** Where an arrow leads: within a row to its neighbour, between rows to what is nearest in time. */
export function moveInGrid(
  event: KeyboardEvent,
  focus: (index: number) => void,
  selectTask: (row: HTMLElement) => void,
): void {
  const cell = event.target as HTMLElement;
  if (!cell.classList.contains('c')) return;
  const row = cell.closest<HTMLElement>('.row');
  if (event.key === ' ' && row !== null) {
    event.preventDefault();
    selectTask(row);
    return;
  }
  const next = neighbour(event.key, cell, row);
  if (next === undefined) return;
  event.preventDefault();
  focus(Number(next.dataset.index));
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function neighbour(key: string, cell: HTMLElement, row: HTMLElement | null): HTMLElement | undefined {
  const cells = (of: Element | null | undefined): HTMLElement[] => [...(of?.querySelectorAll<HTMLElement>('.c') ?? [])];
  const inRow = cells(row);
  switch (key) {
    case 'ArrowLeft':
      return inRow[inRow.indexOf(cell) - 1];
    case 'ArrowRight':
      return inRow[inRow.indexOf(cell) + 1];
    case 'Home':
      return inRow[0];
    case 'End':
      return inRow.at(-1);
    case 'ArrowUp':
    case 'ArrowDown': {
      const rows = [...(row?.parentElement?.querySelectorAll<HTMLElement>('.row') ?? [])].filter(
        (one) => cells(one).length > 0,
      );
      const other = row === null ? undefined : rows[rows.indexOf(row) + (key === 'ArrowDown' ? 1 : -1)];
      return nearest(cells(other), cell);
    }
    default:
      return undefined;
  }
}

function nearest(cells: readonly HTMLElement[], to: HTMLElement): HTMLElement | undefined {
  const middle = (of: HTMLElement): number => of.offsetLeft + of.offsetWidth / 2;
  return cells.reduce<HTMLElement | undefined>(
    (best, one) =>
      best === undefined || Math.abs(middle(one) - middle(to)) < Math.abs(middle(best) - middle(to)) ? one : best,
    undefined,
  );
}
