import { html, nothing, render } from 'lit';
import type { AssistantRequest } from '../src/protocol/assistant-messages.ts';
import type { AssistantState } from '../src/protocol/assistant-state.ts';
import { type AssistantNews, openHostChannel } from './host-channel.ts';
import { registerComponents } from './ui.ts';
import { chooseView } from './views/choose-view.ts';
import type { PageContext } from './views/page-context.ts';
import { pageHeader } from './views/page-header.ts';
import { planView } from './views/plan-view.ts';
import { runView } from './views/run-view.ts';
import { sidePanel } from './views/side-panel.ts';

let state: AssistantState | undefined;
let refused: string | undefined;
let scheduled = false;

const channel = openHostChannel(receive);

function ask(request: AssistantRequest): void {
  channel.ask(request).then(
    () => show(undefined),
    (error: Error) => show(error.message),
  );
}

function show(message: string | undefined): void {
  if (refused === message) return;
  refused = message;
  draw();
}

function receive(event: AssistantNews): void {
  if (event.type === 'state') {
    state = event.state;
    channel.remember(state);
  } else if (state?.run !== undefined) {
    const states = [...state.run.states];
    for (const change of event.changes) states[change.index] = change.state;
    state = { ...state, run: { ...event.run, states }, selected: event.selected };
  }
  draw();
}

/** Many events of one frame are drawn once. */
function draw(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    if (state !== undefined) render(page({ state, ask }), document.body);
  });
}

function page(context: PageContext) {
  const { state: current } = context;
  const error = refused === undefined ? current.error : { message: refused, remedy: undefined };
  return html`
    ${pageHeader(context)}
    <div class="panes">
      ${sidePanel(context)}
      <main>
        ${error === undefined ? nothing : html`<p class="message failed" role="alert">${error.message}${error.remedy === undefined ? nothing : html`<br />${error.remedy}`}</p>`}
        ${content(context)}
      </main>
    </div>
  `;
}

function content(context: PageContext) {
  const { step, plan, run } = context.state;
  if (step === 'run' && plan !== undefined && run !== undefined) return runView(context, plan, run);
  if (step === 'plan' && plan !== undefined) return planView(context, plan);
  return chooseView(context);
}

registerComponents();
ask({ type: 'ready' });
