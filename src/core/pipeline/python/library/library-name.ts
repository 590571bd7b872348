/** Airflow's providers import through a package that hands on the names of whichever Airflow is there. */
export const libraryName = (name: string): string =>
  name.replace(/^airflow\.providers\.common\.compat\.sdk\b/, 'airflow.sdk');
