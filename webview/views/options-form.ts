import { html, nothing, type TemplateResult } from 'lit';
import type { PageContext } from './page-context.ts';

const typedIn = (event: Event): string => (event.target as HTMLInputElement).value;
const checkedOf = (event: Event): boolean => (event.target as HTMLInputElement).checked;

/** How the slices run. It lies over the page, so that nothing moves. */
export function optionsForm(context: PageContext): TemplateResult {
  const { state, ask } = context;
  const chosen = state.choose.options;
  return html`
    <div class="pop form" role="dialog" aria-label="Options">
      <div class="option"><span aria-hidden="true">At a time</span>
        <vscode-text-field size="4" .value=${String(chosen.concurrency)} ?disabled=${chosen.maxConcurrency === 1}
          title=${chosen.maxConcurrency === 1 ? 'The embedded database has one session' : `1 to ${chosen.maxConcurrency}`}
          @change=${(event: Event) => ask({ type: 'set-concurrency', value: Number(typedIn(event)) })}>Slices at a time</vscode-text-field>
      </div>
      <div class="option"><span aria-hidden="true">Hold if rows shrink by more than, %</span>
        <vscode-text-field size="4" placeholder="off" .value=${chosen.shrinkPercent === undefined ? '' : String(chosen.shrinkPercent)}
          @change=${(event: Event) => {
            const typed = typedIn(event).trim();
            ask({ type: 'set-shrink-percent', value: typed === '' ? undefined : Number(typed) });
          }}>Hold if rows shrink by more than, %</vscode-text-field>
      </div>
      <div class="option"><span aria-hidden="true">Compare</span>
        <vscode-dropdown aria-label="Compare" .value=${chosen.compare}
          @change=${(event: Event) => ask({ type: 'set-compare', value: typedIn(event) as typeof chosen.compare })}>
          <vscode-option value="rows">rows</vscode-option>
          <vscode-option value="checksums">checksums</vscode-option>
          <vscode-option value="none">row counts</vscode-option>
        </vscode-dropdown>
      </div>
      <vscode-checkbox .checked=${chosen.earlyCutoff}
        title="A slice behind others is left out where its inputs, its code and its own rows are as its last run left them"
        @change=${(event: Event) => ask({ type: 'set-early-cutoff', value: checkedOf(event) })}>Skip what has unchanged inputs</vscode-checkbox>
      <vscode-checkbox .checked=${chosen.stopAtFirstFailure}
        @change=${(event: Event) => ask({ type: 'set-stop-at-first-failure', value: checkedOf(event) })}>Stop at first failure</vscode-checkbox>
      ${chosen.scheduler === undefined ? nothing : schedulerOptions(context)}
    </div>
  `;
}

/** Who runs what is not run from here. */
function schedulerOptions({ state, ask }: PageContext): TemplateResult {
  const { options, schedulers } = state.choose;
  return html`
    <div class="option"><span aria-hidden="true">What is not run from here</span>
      <vscode-dropdown aria-label="What is not run from here" .value=${options.scheduler ?? ''} ?disabled=${schedulers.length === 1}
        @change=${(event: Event) => ask({ type: 'set-scheduler', name: typedIn(event) })}>
        ${schedulers.map((name) => html`<vscode-option value=${name}>Airflow ${name}</vscode-option>`)}
      </vscode-dropdown>
    </div>
    <vscode-checkbox .checked=${options.allToScheduler === true}
      title="SQL tasks too are run by the Airflow: compared after, not held"
      @change=${(event: Event) => ask({ type: 'set-scheduler', all: checkedOf(event) })}>Run SQL on Airflow too</vscode-checkbox>
  `;
}
