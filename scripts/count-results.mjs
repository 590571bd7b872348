import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The first line of what went wrong, without colours. */
const firstLine = (message = '') => stripVTControlCharacters(message).split('\n')[0];

/**
 * A line for each test that failed, and for each file that could not be loaded: thousands of lines lie between a failure
 * and the end of everything, where it is looked for.
 */
const failuresOf = (report) =>
  report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [`${file}: ${firstLine(message)}`];
    return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages[0])}`);
  });

/**
 * Adds up the JSON reports of suites: what failed, a line each, and the plain closing line. A suite that wrote no report,
 * or ran no test, is a failure: a check that did not run must not look like one that passed. `well` is false where
 * something failed that writes no report, or that no report tells of.
 */
export function countResults(folder, suites, well) {
  let [passed, skipped] = [0, 0];
  const failures = [];
  for (const suite of suites) {
    let report;
    try {
      report = JSON.parse(readFileSync(`${folder}/${suite}.json`, 'utf8'));
    } catch {
      failures.push(`the ${suite} suite wrote no report`);
      continue;
    }
    const named = failuresOf(report);
    failures.push(...named);
    if (!report.success && named.length === 0) failures.push(`the ${suite} suite failed outside of its tests`);
    if (report.numTotalTests === 0) failures.push(`the ${suite} suite ran no test`);
    passed += report.numPassedTests;
    skipped += report.numPendingTests + report.numTodoTests;
  }
  if (!well && failures.length === 0) failures.push('something that is no test, and is told of above');
  const line = `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return { failures, line };
}
