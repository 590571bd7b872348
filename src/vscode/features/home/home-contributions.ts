/** The side bar's place, as package.json says it. */
export const homeContainers = {
  activitybar: [{ id: 'backfill', title: 'Backfill', icon: 'media/activity.svg' }],
};

export const homeViews = {
  backfill: [
    { id: 'backfill.pipelines', name: 'Pipelines', icon: 'media/activity.svg', initialSize: 4 },
    { id: 'backfill.runs', name: 'Runs', icon: 'media/activity.svg', initialSize: 2 },
    { id: 'backfill.attention', name: 'Needs Attention', icon: 'media/activity.svg', initialSize: 3 },
  ],
};

const inView = (view: string): string => `view == backfill.${view}`;
const has = (trait: string): string => `view =~ /^backfill\\./ && viewItem =~ /\\b${trait}\\b/`;

/** Buttons above the views, and what their lines can do. */
export const homeMenus = {
  'view/title': [
    {
      command: 'backfill.filterPipelines',
      when: `${inView('pipelines')} && !backfill.home.filtered`,
      group: 'navigation@1',
    },
    {
      command: 'backfill.clearFilter',
      when: `${inView('pipelines')} && backfill.home.filtered`,
      group: 'navigation@1',
    },
    {
      command: 'backfill.showStaleOnly',
      when: `${inView('pipelines')} && !backfill.home.staleOnly`,
      group: 'navigation@2',
    },
    {
      command: 'backfill.showAllSlices',
      when: `${inView('pipelines')} && backfill.home.staleOnly`,
      group: 'navigation@2',
    },
    { command: 'backfill.refreshHome', when: 'view =~ /^backfill\\./', group: 'navigation@9' },
    { command: 'backfill.checkAll', when: inView('pipelines'), group: '1_check@1' },
    { command: 'backfill.connectWarehouse', when: 'view =~ /^backfill\\./', group: '2_connect@1' },
  ],
  'view/item/context': [
    { command: 'backfill.backfillIntervals', when: `${inView('pipelines')} && ${has('runnable')}`, group: 'inline@1' },
    { command: 'backfill.backfillIntervals', when: `${inView('pipelines')} && ${has('runnable')}`, group: '1_run@2' },
    { command: 'backfill.rerunInterval', when: `${inView('pipelines')} && ${has('runnable')}`, group: '1_run@1' },
    { command: 'backfill.proveTask', when: `${inView('pipelines')} && ${has('runnable')}`, group: '1_run@3' },
    { command: 'backfill.unlockLedger', when: has('locked'), group: 'inline@1' },
    { command: 'backfill.planSlices', when: has('plannable'), group: 'inline@1' },
    { command: 'backfill.planSlices', when: has('plannable'), group: '1_run@1' },
    { command: 'backfill.resumeRun', when: has('resumable'), group: 'inline@1' },
    { command: 'backfill.resumeRun', when: has('resumable'), group: '1_run@1' },
    { command: 'backfill.undoRun', when: has('undoable'), group: 'inline@2' },
    { command: 'backfill.undoRun', when: has('undoable'), group: '1_run@2' },
    { command: 'backfill.openHomeItem', when: has('run'), group: '0_open@1' },
    { command: 'backfill.exportReport', when: has('run'), group: '2_report@1' },
  ],
};

const trusted = '(isWorkspaceTrusted || !isWorkspaceTrustEnabled)';
const ledgerIs = (kind: string): string => `backfill.home.ledger == ${kind}`;

/** What an empty view says, and what can be done about it. */
export const homeWelcomes = [
  {
    view: 'backfill.pipelines',
    when: 'workspaceFolderCount == 0',
    contents:
      'Open a folder with Airflow DAGs or SQL files to see its pipelines, their intervals and what a rerun would do.\n[Open Folder](command:vscode.openFolder)\n[Get Started](command:backfill.getStarted)',
  },
  {
    view: 'backfill.pipelines',
    when: 'workspaceFolderCount != 0 && backfill.home.pipelines == none',
    contents:
      'No pipeline was found in this folder: no Airflow DAG, and no SQL file with a task.\nDAGs are found wherever their files lie; what could not be read stands in Problems.\n[Check All Pipelines](command:backfill.checkAll)\n[Get Started](command:backfill.getStarted)',
  },
  ...['backfill.runs', 'backfill.attention'].flatMap((view) => [
    {
      view,
      when: 'workspaceFolderCount == 0',
      contents: 'No folder is open.',
    },
    {
      view,
      when: `!${trusted}`,
      contents:
        'This workspace is not trusted: it is read and checked, nothing is asked and nothing is run.\n[Manage Workspace Trust](command:workbench.trust.manage)',
    },
    {
      view,
      when: `${trusted} && ${ledgerIs('password')}`,
      contents: 'The server asks for a password.\n[Enter Password…](command:backfill.unlockLedger)',
    },
    {
      view,
      when: `${trusted} && ${ledgerIs('silent')}`,
      contents:
        'The database did not answer.\n[Ask Again](command:backfill.refreshHome)\n[Show Log](command:backfill.showLog)',
    },
  ]),
  {
    view: 'backfill.runs',
    when: `${trusted} && ${ledgerIs('unconnected')}`,
    contents:
      'No warehouse is connected. Runs and the state of each slice are kept in the database that the tasks write to.\n[Connect Warehouse…](command:backfill.connectWarehouse)',
  },
  {
    view: 'backfill.attention',
    when: `${trusted} && ${ledgerIs('unconnected')}`,
    contents: 'What is held, failed, cut off or stale is listed here once a warehouse is connected.',
  },
  {
    view: 'backfill.runs',
    when: `${trusted} && ${ledgerIs('known')}`,
    contents: 'No run was made on this database yet.\n[Backfill Intervals…](command:backfill.backfillIntervals)',
  },
  {
    view: 'backfill.attention',
    when: `${trusted} && ${ledgerIs('known')}`,
    contents: 'Nothing is held, failed, cut off or stale.',
  },
];
