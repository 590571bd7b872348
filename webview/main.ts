import { html, nothing, render } from 'lit';
import type { AssistantState, Request } from '../src/protocol/assistant-state.ts';
import { announcer } from './announcement.ts';
import { glyph } from './components/glyph.ts';
import { openHostChannel } from './host-channel.ts';
import { pageKey } from './page-keys.ts';
import { firstMemory, type PageMemory } from './page-memory.ts';
import { received } from './received-state.ts';
import { registerComponents } from './ui.ts';
import type { PageContext } from './views/page-context.ts';
import { rangeView } from './views/range-view.ts';
import { sideView } from './views/side-view.ts';
import { slicesView } from './views/slices-view.ts';
import { topView } from './views/top-view.ts';
import { totalsView } from './views/totals-view.ts';

let state: AssistantState | undefined;
let memory: PageMemory = firstMemory();
let refused: string | undefined;
let scheduled = false;
/** The bench asks when that was. */
let isDrawn = false;

const announced = announcer(() => draw());
const channel = openHostChannel((event) => {
  const before = state?.plan;
  state = received(state, event);
  if (state !== undefined) channel.remember(state);
  // Another plan stands on another time line.
  if (state?.plan !== before) memory = { ...memory, zoom: undefined, unit: undefined };
  draw();
});

function ask(request: Request): void {
  const answered = (message: string | undefined): void => {
    if (request.type === 'set-range') memory = { ...memory, drag: undefined };
    refused = message;
    draw();
  };
  channel.ask(request).then(
    () => answered(undefined),
    (error: Error) => answered(error.message),
  );
}

function remember(patch: Partial<PageMemory>): void {
  memory = { ...memory, ...patch };
  draw();
}

/** Many events of one frame are drawn once. */
function draw(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    if (state === undefined) return;
    render(page({ state, memory, ask, remember }), document.body);
    watchWidth();
    if (!isDrawn) performance.mark('drawn');
    isDrawn = true;
  });
}

function page(context: PageContext) {
  const { plan, status } = context.state;
  const sentence = `${status.sentence.lead}${status.sentence.rest}`;
  return html`
    ${topView(context)}
    ${refused === undefined ? nothing : html`<p class="refused" role="alert">${glyph('error')}${refused}</p>`}
    <div class="cols">
      <main id="main">
        ${rangeView(context)} ${plan === undefined ? nothing : html`${slicesView(context, plan)} ${totalsView(context)}`}
      </main>
      ${sideView(context)}
    </div>
    <div class="sr" role="status">${announced.text(sentence, status.live)}</div>
  `;
}

let watched: Element | undefined;
const widths = new ResizeObserver(([entry]) => {
  const width = Math.round(entry?.target.clientWidth ?? memory.width);
  if (width !== memory.width) remember({ width });
});

function watchWidth(): void {
  const main = document.getElementById('main');
  if (main === null || main === watched) return;
  if (watched !== undefined) widths.unobserve(watched);
  watched = main;
  widths.observe(main);
}

window.addEventListener('keydown', (event) => {
  if (state !== undefined) pageKey(event, { state, memory, ask, remember });
});
/** What lies over the page goes away when somebody turns to the page, by pointer or by Tab. */
function closePopup(event: Event): void {
  if (memory.popup === undefined) return;
  const isInside = event
    .composedPath()
    .some(
      (target) =>
        target instanceof HTMLElement &&
        (target.classList.contains('pop') || target.id === 'more' || target.id === 'opts'),
    );
  if (!isInside) remember({ popup: undefined });
}
window.addEventListener('pointerdown', closePopup);
window.addEventListener('focusin', closePopup);
window.addEventListener('pointerup', (event) => {
  if (memory.drag === undefined || (event.target as Element | null)?.closest?.('.cal')) return;
  remember({ drag: undefined });
});

registerComponents();
ask({ type: 'ready' });
