import { html, nothing, type TemplateResult } from 'lit';
import type { PageContext } from './page-context.ts';

const typedIn = (event: Event): string => (event.target as HTMLInputElement).value;
const checkedOf = (event: Event): boolean => (event.target as HTMLInputElement).checked;

/** The choices of the run: intervals, downstream tasks, options, connection, and what was found wrong. */
export function sidePanel(context: PageContext): TemplateResult {
  const { step, plan } = context.state;
  // An undo has the intervals and options of its run; a proof is of the task alone.
  const kind = step === 'choose' ? 'run' : (plan?.purpose.kind ?? 'run');
  return html`
    <nav class="side" aria-label="Choices">
      ${kind === 'undo' ? nothing : intervals(context)}
      ${kind === 'run' ? html`${downstream(context)} ${options(context)}` : nothing}
      ${connection(context)} ${findings(context)}
    </nav>
  `;
}

const fixed = ({ state }: PageContext): boolean => state.step !== 'choose' || state.busy !== undefined;

function intervals(context: PageContext): TemplateResult {
  const { choose } = context.state;
  return html`
    <section>
      <h2>Intervals</h2>
      <div class="range">
        <vscode-text-field size="10" .value=${choose.from} ?disabled=${fixed(context)}
          @change=${(event: Event) => context.ask({ type: 'set-range', from: typedIn(event) })}>From, included</vscode-text-field>
        <span aria-hidden="true">→</span>
        <vscode-text-field size="10" .value=${choose.to} ?disabled=${fixed(context)}
          @change=${(event: Event) => context.ask({ type: 'set-range', to: typedIn(event) })}>To, not included</vscode-text-field>
      </div>
      <p class=${choose.valid ? 'quiet' : 'message failed'} role="status">${choose.summary}</p>
    </section>
  `;
}

function downstream(context: PageContext): TemplateResult | typeof nothing {
  const { choose, step } = context.state;
  if (choose.downstream.length === 0) return nothing;
  const left = choose.downstream.filter(({ included, note }) => !included && note === undefined);
  return html`
    <section>
      <h2>Downstream</h2>
      <ul class="tree">
        ${choose.downstream.map(
          (entry) => html`
            <li data-depth=${Math.min(entry.depth, 6)} title=${entry.note ?? entry.task}>
              <vscode-checkbox .checked=${entry.included} ?disabled=${step !== 'choose' || entry.depth === 0 || entry.note !== undefined}
                @change=${(event: Event) => context.ask({ type: 'include-task', task: entry.task, included: checkedOf(event) })}>
                <bdi>${entry.task}</bdi>
              </vscode-checkbox>
              <span class="quiet">${entry.count}</span>
            </li>
          `,
        )}
      </ul>
      ${left.length === 0 ? nothing : html`<p class="quiet">${left.map(({ task }) => task).join(', ')} left out: ${left.length === 1 ? 'its' : 'their'} slices stay stale.</p>`}
    </section>
  `;
}

function options(context: PageContext): TemplateResult {
  const { options: chosen } = context.state.choose;
  const disabled = fixed(context);
  return html`
    <section>
      <h2>Options</h2>
      <div class="option"><span aria-hidden="true">Concurrency</span>
        <vscode-text-field size="3" .value=${String(chosen.concurrency)} ?disabled=${disabled || chosen.maxConcurrency === 1}
          title=${chosen.maxConcurrency === 1 ? 'The embedded database has one session' : `1 to ${chosen.maxConcurrency}`}
          @change=${(event: Event) => context.ask({ type: 'set-concurrency', value: Number(typedIn(event)) })}>Concurrency</vscode-text-field>
      </div>
      <div class="option"><span aria-hidden="true">Compare</span>
        <vscode-dropdown aria-label="Compare" .value=${chosen.compare} ?disabled=${disabled}
          @change=${(event: Event) => context.ask({ type: 'set-compare', value: typedIn(event) as 'rows' | 'checksums' | 'none' })}>
          <vscode-option value="rows">rows</vscode-option>
          <vscode-option value="checksums">checksums</vscode-option>
          <vscode-option value="none">row count</vscode-option>
        </vscode-dropdown>
      </div>
      <div class="option"><span aria-hidden="true">Hold if rows shrink, %</span>
        <vscode-text-field size="3" placeholder="off" .value=${chosen.shrinkPercent === undefined ? '' : String(chosen.shrinkPercent)} ?disabled=${disabled}
          @change=${(event: Event) => {
            const typed = typedIn(event).trim();
            context.ask({ type: 'set-shrink-percent', value: typed === '' ? undefined : Number(typed) });
          }}>Hold if rows shrink, %</vscode-text-field>
      </div>
      <vscode-checkbox .checked=${chosen.earlyCutoff} ?disabled=${disabled}
        title="A unit behind others is left out where its inputs, its code and its own rows are as its last run left them"
        @change=${(event: Event) => context.ask({ type: 'set-early-cutoff', value: checkedOf(event) })}>Skip what has unchanged inputs</vscode-checkbox>
      <vscode-checkbox .checked=${chosen.stopAtFirstFailure} ?disabled=${disabled}
        @change=${(event: Event) => context.ask({ type: 'set-stop-at-first-failure', value: checkedOf(event) })}>Stop at first failure</vscode-checkbox>
    </section>
  `;
}

function connection(context: PageContext): TemplateResult {
  const { connection: current } = context.state;
  return html`
    <section>
      <h2>Runs on</h2>
      ${
        current.names.length === 0
          ? html`<p class="quiet">No connection in backfill.yaml yet.</p>`
          : html`<vscode-dropdown aria-label="Connection" .value=${current.name ?? ''} ?disabled=${fixed(context)}
              @change=${(event: Event) => context.ask({ type: 'set-connection', name: typedIn(event) })}>
              ${current.names.map((name) => html`<vscode-option value=${name}>${name}</vscode-option>`)}
            </vscode-dropdown>`
      }
      <div class="stack">
        ${current.name === undefined ? html`<vscode-button @click=${() => context.ask({ type: 'use-embedded' })}>Use Embedded Database</vscode-button>` : nothing}
        ${current.names.length === 0 ? html`<vscode-button appearance="secondary" @click=${() => context.ask({ type: 'connect' })}>Connect Warehouse…</vscode-button>` : nothing}
      </div>
    </section>
  `;
}

function findings({ state }: PageContext): TemplateResult | typeof nothing {
  const found = state.plan?.findings ?? [];
  if (found.length === 0) return nothing;
  return html`
    <section>
      <h2>Findings</h2>
      <ul class="findings">
        ${found.map(
          ({ severity, task, code, message }) =>
            html`<li class=${severity}><strong>${task ?? ''}</strong> <span class="quiet">${code}</span><br />${message}</li>`,
        )}
      </ul>
    </section>
  `;
}
