/** Contexts that say how far somebody has come, so that a step of the walkthrough is done by doing it. */
export const walkthroughSteps = {
  connected: 'backfill.walkthrough.connected',
  previewed: 'backfill.walkthrough.previewed',
  ran: 'backfill.walkthrough.ran',
} as const;

/** Set once the extension is at work: a walkthrough that an editor may open by itself after an installation is not there yet. */
export const walkthroughContext = 'backfill.walkthrough.ready';

export const walkthroughId = 'backfill.start';

/** The walkthrough, as package.json says it. */
export const walkthroughs = [
  {
    id: walkthroughId,
    title: 'Make your tasks safe to run twice',
    description: 'From a DAG file to a backfill that shows what it changed, and can be taken back.',
    when: walkthroughContext,
    steps: [
      {
        id: 'look',
        title: 'Look at your pipelines',
        description:
          'Airflow DAGs and SQL files are read where they lie; nothing of them is run. Each task shows which rows it writes and reads for an interval, and what a second run would change.\n[Show Pipelines](command:backfill.pipelines.focus)\n[Check All Pipelines](command:backfill.checkAll)',
        media: {
          image: 'docs/images/editor.png',
          altText: 'A DAG with the interval, the slices and a finding beside the code',
        },
        completionEvents: ['onView:backfill.pipelines', 'onCommand:backfill.checkAll'],
      },
      {
        id: 'connect',
        title: 'Connect a database',
        description:
          'PostgreSQL, or the embedded database as a sandbox. The connection goes into `backfill.yaml`, its password into the secret store of this machine.\n[Connect Warehouse…](command:backfill.connectWarehouse)',
        media: { image: 'docs/images/home.png', altText: 'The side bar with pipelines, runs and what needs attention' },
        completionEvents: [`onContext:${walkthroughSteps.connected}`],
      },
      {
        id: 'preview',
        title: 'Preview a rerun',
        description:
          'Choose days of a task: everything downstream that they reach is planned with them. A preview runs it in a transaction that is rolled back, and shows which slices would change.\n[Backfill Intervals…](command:backfill.backfillIntervals)',
        media: { image: 'docs/images/assistant.png', altText: 'The assistant with calendar, slices and what changed' },
        completionEvents: [`onContext:${walkthroughSteps.previewed}`],
      },
      {
        id: 'run',
        title: 'Run it, and see what changed',
        description:
          'Each slice commits with a record of what it changed, down to the row. A run that is cut off goes on where it stopped; one that was wrong is put back.\n[Show Runs](command:backfill.runs.focus)\n[Undo Run…](command:backfill.undoRun)',
        media: { image: 'docs/images/assistant.png', altText: 'A slice with the rows that changed' },
        completionEvents: [`onContext:${walkthroughSteps.ran}`],
      },
    ],
  },
];
