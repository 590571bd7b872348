import type { FileSet } from '../../../model/model.ts';

/** Files that pin packages or images, the most exact first. */
const versionFiles: readonly (readonly [RegExp, RegExp])[] = [
  [/(?:^|\/)(?:poetry|uv|pdm)\.lock$/, /name\s*=\s*"apache-airflow(?:-core)?"\s*\n\s*version\s*=\s*"(\d+)\./],
  [/(?:^|\/)Pipfile\.lock$/, /"apache-airflow(?:-core)?"\s*:\s*\{[^}]*"version"\s*:\s*"==(\d+)\./],
  [
    /(?:^|\/)(?:requirements|constraints)[^/]*\.(?:txt|in)$|(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/,
    /^\s*apache-airflow(?:-core)?(?:\[[^\]]*\])?\s*(?:==|~=|>=|===)\s*(\d+)(?:\.|\b)/im,
  ],
  [
    /(?:^|\/)(?:pyproject\.toml|Pipfile|setup\.(?:cfg|py)|environment\.ya?ml)$/,
    /\bapache-airflow(?:-core)?\b(?:\[[^\]]*\])?"?\s*(?:[=:]\s*(?:\{[^}\n]*?version\s*[=:]\s*)?)?["']?\s*(?:==|~=|>=|\^|~|===|=)?\s*(\d+)\./i,
  ],
  [
    /(?:^|\/)(?:[^/]*\.)?[Dd]ockerfile(?:\.[^/]*)?$|(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$/,
    /\b(?:apache\/airflow:(?:slim-)?|AIRFLOW_VERSION[:=]-?\s*["']?|AIRFLOW_VERSION=)(\d+)\./,
  ],
];

/** Astronomer's runtime images: up to 13 with Airflow 2, numbered `3.x` since Airflow 3. */
const astroRuntime = /\b(?:astro-runtime|runtime):(\d+)[.-]/;

/** The major version of Airflow that the workspace's requirement, lock or image files name. */
export function airflowVersionOf(files: FileSet): 2 | 3 | undefined {
  const paths = files.paths();
  for (const [name, pattern] of versionFiles) {
    for (const path of paths) {
      if (!name.test(path)) continue;
      const text = files.read(path) ?? '';
      const major = Number(pattern.exec(text)?.[1]);
      if (major === 2 || major === 3) return major;
      const runtime = Number(astroRuntime.exec(text)?.[1]);
      if (!Number.isNaN(runtime)) return runtime === 3 ? 3 : 2;
    }
  }
  return undefined;
}
