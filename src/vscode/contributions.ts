import { walkthroughs } from './features/commands/walkthrough-contribution.ts';
import { homeContainers, homeMenus, homeViews, homeWelcomes } from './features/home/home-contributions.ts';
import { languageModelTools } from './features/tools/tool-contributions.ts';

/** A command of the palette; `enabledWhen` is a `when` clause. */
interface CommandContribution {
  readonly title: string;
  readonly icon?: `$(${string})`;
  readonly enabledWhen?: string;
  /** False for commands that make no sense without arguments. */
  readonly inPalette?: boolean;
}

/** Where the question of trust is switched off, everything is trusted, but the first key stays false. */
const trusted = 'isWorkspaceTrusted || !isWorkspaceTrustEnabled';

/** Every command, once: ids, titles and where they may be used. The palette shows them as `Backfill: <title>`. */
export const commands = {
  'backfill.rerunInterval': { title: 'Rerun This Interval', icon: '$(debug-rerun)', enabledWhen: trusted },
  'backfill.backfillIntervals': { title: 'Backfill Intervals…', icon: '$(calendar)', enabledWhen: trusted },
  'backfill.showPlan': { title: 'Show Plan', icon: '$(list-tree)', enabledWhen: trusted },
  'backfill.previewChanges': { title: 'Preview Changes', icon: '$(diff)', enabledWhen: trusted },
  'backfill.proveTask': { title: 'Prove Safe to Run Twice', icon: '$(verified)', enabledWhen: trusted },
  'backfill.cancelRun': { title: 'Cancel Run', icon: '$(debug-stop)', enabledWhen: 'backfill.running' },
  'backfill.resumeRun': { title: 'Resume Run…', icon: '$(debug-continue)', enabledWhen: trusted },
  'backfill.undoRun': { title: 'Undo Run…', icon: '$(discard)', enabledWhen: trusted },
  'backfill.showStale': { title: 'Show Stale Slices', icon: '$(history)', enabledWhen: trusted },
  'backfill.compareVersions': { title: 'Compare Slice Versions', icon: '$(diff)', enabledWhen: trusted },
  'backfill.exportReport': { title: 'Export Report…', icon: '$(export)', enabledWhen: trusted },
  'backfill.copyCliCommand': { title: 'Copy as CLI Command', icon: '$(terminal)' },
  'backfill.selectInterval': { title: 'Select Interval…', icon: '$(calendar)' },
  'backfill.previousInterval': { title: 'Select Previous Interval', icon: '$(chevron-left)' },
  'backfill.nextInterval': { title: 'Select Next Interval', icon: '$(chevron-right)' },
  'backfill.checkAll': { title: 'Check All Pipelines', icon: '$(checklist)' },
  'backfill.connectWarehouse': { title: 'Connect Warehouse…', icon: '$(plug)', enabledWhen: trusted },
  'backfill.connectAirflow': { title: 'Connect Airflow…', icon: '$(plug)', enabledWhen: trusted },
  'backfill.checkAirflow': { title: 'Check Airflow', enabledWhen: trusted },
  'backfill.openTaskLog': {
    title: 'Open Log of the Selected Interval in Airflow',
    icon: '$(output)',
    enabledWhen: trusted,
  },
  'backfill.observeTask': { title: 'Show What a Task Was Seen to Write', icon: '$(eye)', enabledWhen: trusted },
  'backfill.forgetPassword': { title: 'Forget Stored Password…', enabledWhen: trusted },
  'backfill.declareTask': { title: 'Declare What a Task Reads and Writes', icon: '$(edit)' },
  'backfill.openRulePage': { title: 'Open Rule Page', inPalette: false },
  'backfill.chooseAirflow': { title: 'Choose Airflow to Confirm DAGs…', enabledWhen: trusted },
  'backfill.planSlices': { title: 'Plan Rerun', icon: '$(debug-rerun)', enabledWhen: trusted, inPalette: false },
  'backfill.openHomeItem': { title: 'Open', icon: '$(open-preview)', enabledWhen: trusted, inPalette: false },
  'backfill.refreshHome': { title: 'Ask the Ledger Again', icon: '$(refresh)', inPalette: false },
  'backfill.filterPipelines': { title: 'Filter Pipelines…', icon: '$(filter)', inPalette: false },
  'backfill.clearFilter': { title: 'Clear Filter', icon: '$(filter-filled)', inPalette: false },
  'backfill.showStaleOnly': { title: 'Show Only Stale, Held and Failed', icon: '$(history)', inPalette: false },
  'backfill.showAllSlices': { title: 'Show All Slices', icon: '$(list-unordered)', inPalette: false },
  'backfill.unlockLedger': { title: 'Enter Password…', icon: '$(key)', enabledWhen: trusted, inPalette: false },
  'backfill.toggleHints': { title: 'Show or Hide Interval Hints', icon: '$(eye)' },
  'backfill.getStarted': { title: 'Get Started', icon: '$(book)' },
  'backfill.clearCache': { title: 'Clear Cache', icon: '$(trash)' },
  'backfill.showLog': { title: 'Show Log', icon: '$(output)' },
} as const satisfies Record<string, CommandContribution>;

export type CommandId = keyof typeof commands;

/** Every setting, once, with its type for the readers of it. */
export const settings = {
  'backfill.codeLens.enabled': {
    type: 'boolean',
    default: true,
    markdownDescription:
      'Show `Rerun this interval`, `Backfill…`, `Prove` and the last outcome above each task that can be run.',
  },
  'backfill.inlayHints.enabled': {
    type: 'boolean',
    default: true,
    markdownDescription:
      'Show the value of interval expressions and the slice that a task writes, for the selected interval.',
  },
  'backfill.check.run': {
    type: 'string',
    enum: ['onType', 'onSave', 'off'],
    default: 'onType',
    markdownDescription: 'When to look for what makes a second run double, change or lose rows.',
  },
  'backfill.unknowns.enabled': {
    type: 'boolean',
    default: true,
    markdownDescription:
      'Mark what is not known of a task (which tables, which range, which rows) with three dots, never as a problem, and offer to declare it in `backfill.yaml`.',
  },
  'backfill.rules': {
    type: 'object',
    default: {},
    additionalProperties: { type: 'string', enum: ['error', 'warning', 'info', 'hint', 'off'] },
    markdownDescription: 'Severity by rule, e.g. `{ "plain-insert": "warning" }`; `off` switches a rule off.',
  },
  'backfill.timeZone': {
    type: 'string',
    enum: ['pipeline', 'UTC', 'local'],
    default: 'pipeline',
    markdownDescription: 'The zone in which intervals are shown. They are always computed in the zone of the pipeline.',
  },
  'backfill.airflow.version': {
    type: 'string',
    enum: ['auto', '2', '3'],
    default: 'auto',
    markdownDescription:
      'The Airflow that runs the DAGs: its defaults decide data intervals. `auto` reads requirements, lock files and imports.',
  },
  'backfill.airflow.python': {
    scope: 'machine-overridable',
    type: 'string',
    default: '',
    markdownDescription:
      'A Python with Airflow, or its virtual environment: it loads the DAG files after each save, which runs their code, and what it says confirms or corrects what is read. Never needed; not used in workspaces that are not trusted.',
  },
  'backfill.run.concurrency': {
    type: 'integer',
    minimum: 1,
    maximum: 32,
    default: 4,
    markdownDescription:
      'How many units run side by side; where it is not set here, `run.concurrency` of `backfill.yaml` counts. The embedded database runs one at a time.',
  },
  'backfill.run.earlyCutoff': {
    type: 'boolean',
    default: true,
    markdownDescription:
      'Leave out units behind others whose inputs, code and own rows are as their last run left them. `run.earlyCutoff` of `backfill.yaml` may switch it off as well.',
  },
  'backfill.run.guard.shrinkPercent': {
    type: ['integer', 'null'],
    minimum: 0,
    maximum: 100,
    default: 50,
    markdownDescription:
      'Hold a unit whose slice becomes empty or shrinks by more than this share; the old rows stay until you decide. `null` switches it off. Where it is not set here, `run.shrinkPercent` of `backfill.yaml` counts.',
  },
  'backfill.diff.floatTolerance': {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    default: null,
    markdownDescription:
      'Changed rows whose floats are apart by no more than this share are counted as equal within tolerance, e.g. `1e-9`; `0`: none. Where it is not set here, `diff.floatTolerance` of `backfill.yaml` counts; a table may have its own there.',
  },
  'backfill.diff.samples': {
    type: 'integer',
    minimum: 0,
    maximum: 20,
    default: 5,
    markdownDescription:
      'How many added, removed and changed rows are shown as samples; where it is not set here, `run.samples` of `backfill.yaml` counts.',
  },
} as const;

export type SettingId = keyof typeof settings;

const pipelineFiles = 'resourceLangId == python || resourceLangId == sql || resourceLangId == jinja-sql';

/** The `contributes` and `activationEvents` of package.json, generated from the tables above. */
export function manifestContributions() {
  return {
    activationEvents: [
      'onLanguage:python',
      'onLanguage:sql',
      'onLanguage:jinja-sql',
      'workspaceContains:**/backfill.yaml',
      'onWebviewPanel:backfill.assistant',
    ],
    contributes: {
      commands: Object.entries<CommandContribution>(commands).map(([command, { title, icon, enabledWhen }]) => ({
        command,
        title,
        category: 'Backfill',
        ...(icon === undefined ? {} : { icon }),
        ...(enabledWhen === undefined ? {} : { enablement: enabledWhen }),
      })),
      menus: {
        commandPalette: Object.entries<CommandContribution>(commands)
          .filter(([, { inPalette }]) => inPalette === false)
          .map(([command]) => ({ command, when: 'false' })),
        ...homeMenus,
        'editor/title/run': [
          {
            command: 'backfill.backfillIntervals',
            when: `backfill.pipelineFile && (${pipelineFiles})`,
            group: 'backfill@1',
          },
        ],
        'editor/context': [
          { command: 'backfill.rerunInterval', when: 'backfill.pipelineFile', group: 'z_backfill@1' },
          { command: 'backfill.backfillIntervals', when: 'backfill.pipelineFile', group: 'z_backfill@2' },
          { command: 'backfill.proveTask', when: 'backfill.pipelineFile', group: 'z_backfill@3' },
        ],
      },
      viewsContainers: homeContainers,
      views: homeViews,
      languageModelTools,
      walkthroughs,
      viewsWelcome: homeWelcomes,
      configuration: {
        title: 'Backfill Assistant',
        properties: Object.fromEntries(
          Object.entries(settings).map(([id, schema]) => [id, { scope: 'resource', ...schema }]),
        ),
      },
    },
    // Files, databases and a Python are those of the machine that has the folder.
    extensionKind: ['workspace'],
    capabilities: {
      untrustedWorkspaces: {
        supported: 'limited',
        restrictedConfigurations: ['backfill.airflow.python'],
        description:
          'Pipelines are read and checked; asking Airflow, connecting to a warehouse and running need a trusted workspace.',
      },
      virtualWorkspaces: { supported: false, description: 'Pipelines are read from files on disk.' },
    },
  };
}
