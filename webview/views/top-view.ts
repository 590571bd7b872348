import { html, nothing, type TemplateResult } from 'lit';
import type { Action } from '../../src/protocol/assistant-state.ts';
import { formatCount } from '../components/format.ts';
import { glyph } from '../components/glyph.ts';
import { percent, styled } from '../components/styled.ts';
import { enterPopup } from '../page-keys.ts';
import type { PageContext } from './page-context.ts';

/** One sentence, one action, one bar, one line of news. Its height is the same in every state. */
export function topView(context: PageContext): TemplateResult {
  return html`
    <header class="top">
      ${contextLine(context)} ${lead(context)} ${bar(context)} ${news(context)} ${findings(context)}
    </header>
  `;
}

/** Said once, nowhere else. */
function contextLine({ state, ask }: PageContext): TemplateResult {
  const { dag, name, connection, zone } = state;
  return html`
    <div class="ctx">
      ${dag === '' || dag === name ? nothing : html`<span>${dag}</span><span class="sep" aria-hidden="true">›</span>`}<b>${name}</b>
      <span class="sep" aria-hidden="true">·</span>
      <button class="pick" title="Choose another connection" @click=${() => ask({ type: 'choose-connection' })}>
        ${glyph('database')}<b>${connection.name ?? 'no connection'}</b>${glyph('down')}
      </button>
      ${connection.target === undefined ? nothing : html`<span class="opt">${connection.target}</span>`}
      ${connection.protected ? html`<span class="badge" title="A run asks for its name to be typed">protected</span>` : nothing}
      <span class="sep" aria-hidden="true">·</span><span>${zone}</span>
    </div>
  `;
}

function lead(context: PageContext): TemplateResult {
  const { sentence, action } = context.state.status;
  const { popup } = context.memory;
  return html`
    <div class="lead">
      <h1>${sentence.lead}<span class="quiet">${sentence.rest}</span></h1>
      <div class="acts">
        <button class="icon" id="more" aria-haspopup="menu" aria-expanded=${popup === 'menu'} aria-label="More actions" title="More actions"
          @click=${(event: MouseEvent) => {
            context.remember({ popup: popup === 'menu' ? undefined : 'menu' });
            enterPopup(event);
          }}>${glyph('more')}</button>
        ${
          action === undefined
            ? html`<span class="main-place"></span>`
            : html`<vscode-button id="act" class="main ${action.look}" title="Ctrl+Enter" ?disabled=${action.look === 'off'}
                appearance=${action.look === 'secondary' ? 'secondary' : 'primary'}
                @click=${() => context.ask(action.request)}>${action.label}</vscode-button>`
        }
        ${popup === 'menu' ? menu(context) : nothing}
      </div>
    </div>
  `;
}

function menu({ state, ask, remember }: PageContext): TemplateResult {
  const { more } = state.status;
  const item = ({ label, request }: Action): TemplateResult =>
    html`<button role="menuitem" @click=${() => {
      remember({ popup: undefined });
      ask(request);
    }}>${label}</button>`;
  return html`
    <div class="pop menu" role="menu" aria-label="More actions">
      ${more.map(item)} ${more.length === 0 ? nothing : html`<hr />`} ${state.standing.map(item)}
    </div>
  `;
}

function bar({ state }: PageContext): TemplateResult {
  const { progress } = state.status;
  const total = progress?.total ?? 0;
  return html`
    <div class="bar" role="progressbar" aria-label="Slices done" aria-valuemin="0" aria-valuemax=${Math.max(total, 1)} aria-valuenow=${progress?.done ?? 0}>
      ${(progress?.parts ?? []).map(
        ({ state: of, count }) => html`<i class=${of} ${styled({ width: percent(count / Math.max(total, 1)) })}></i>`,
      )}
    </div>
  `;
}

function news({ state, ask }: PageContext): TemplateResult {
  const { news: said, progress } = state.status;
  return html`
    <div class="news ${said.tone}" role=${said.tone === 'error' ? 'alert' : 'note'}>
      ${glyph(said.tone)}<span class="what">${said.text}</span>
      <span class="do">${said.actions.map(
        ({ label, request }) => html`<button class="link" @click=${() => ask(request)}>${label}</button>`,
      )}</span>
      <span class="amount">${progress?.label ?? nothing}</span>
    </div>
  `;
}

/** More than one finding is listed below the line that says the worst. */
function findings({ state, memory, remember, ask }: PageContext): TemplateResult | typeof nothing {
  const found = state.plan?.findings ?? [];
  if (found.length < 2 || state.run !== undefined) return nothing;
  return html`
    <details class="findings" ?open=${memory.findings}
      @toggle=${(event: Event) => remember({ findings: (event.currentTarget as HTMLDetailsElement).open })}>
      <summary>${formatCount(found.length)} findings of this plan</summary>
      <ul>
        ${found.map(
          ({ severity, task, code, message }) => html`
            <li class=${severity}>
              ${glyph(severity === 'info' ? 'info' : severity)}
              <span>${message} <span class="quiet">${code}</span></span>
              ${task === undefined ? nothing : html`<button class="link" @click=${() => ask({ type: 'open-source', task })}>Show</button>`}
            </li>
          `,
        )}
      </ul>
    </details>
  `;
}
