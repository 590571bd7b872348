import type { PageContext } from './views/page-context.ts';

/** Keys that do the same wherever the focus is, outside of a field. */
export function pageKey(event: KeyboardEvent, { state, memory, ask, remember }: PageContext): void {
  if (event.key === 'Escape') {
    if (memory.popup !== undefined) {
      const opener = memory.popup === 'menu' ? 'more' : 'opts';
      remember({ popup: undefined });
      document.getElementById(opener)?.focus();
    } else if (state.selected !== undefined) ask({ type: 'close-unit' });
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
    const { action } = state.status;
    if (action !== undefined && action.look !== 'off') ask(action.request);
    return;
  }
  if (memory.popup === 'menu' && menuMoves[event.key] !== undefined) {
    event.preventDefault();
    moveInMenu(event.key);
    return;
  }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key !== 'n' && event.key !== 'p') return;
  const { stops, selected } = state;
  if (stops.length === 0) return;
  const by = event.key === 'n' ? 1 : -1;
  const at = selected === undefined ? -1 : stops.indexOf(selected.index);
  const next = stops[(Math.max(at, by > 0 ? -1 : 0) + by + stops.length) % stops.length];
  if (next !== undefined) ask({ type: 'select-unit', index: next });
}

/** From which item to which, of how many; an arrow into the menu comes from before its first. */
const menuMoves: Readonly<Record<string, (at: number, items: number) => number>> = {
  ArrowDown: (at, items) => (at + 1) % items,
  ArrowUp: (at, items) => (Math.max(at, 0) - 1 + items) % items,
  Home: () => 0,
  End: (_, items) => items - 1,
};

function moveInMenu(key: string): void {
  const items = [...document.querySelectorAll<HTMLElement>('.pop.menu [role=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[menuMoves[key]?.(at, items.length) ?? 0]?.focus();
}

/** Whoever opens what lies over the page with a key goes on in it; a pointer leaves the focus where it is. */
export function enterPopup(event: MouseEvent): void {
  if (event.detail !== 0) return;
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('.pop :is([role=menuitem], vscode-text-field:not([disabled]))')?.focus(),
    ),
  );
}

const isTyping = (event: Event): boolean =>
  event
    .composedPath()
    .some(
      (target) => target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT|VSCODE-DROPDOWN)$/.test(target.tagName),
    );
