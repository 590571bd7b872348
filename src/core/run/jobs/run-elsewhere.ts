const given = 'give it to its Airflow on the command line, with schedulers in backfill.yaml; or run it there yourself';

/** What to do about a unit that is not run from here: `inRun` in a run that others of the plan make, `alone` where there is none. */
export const runElsewhere = {
  inRun: `${given}, then tell the run so: backfill done RUN UNIT`,
  alone: `${given}, by the commands of backfill plan … --commands`,
};
