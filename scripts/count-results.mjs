import { readFileSync } from 'node:fs';

/**
 * Adds up the JSON reports of suites, and gives the plain closing line. A suite that wrote no report, or ran no test, is a
 * failure: a check that did not run must not look like one that passed. `well` is false where something failed that
 * writes no report, or that no report tells of.
 */
export function countResults(folder, suites, well) {
  let [passed, failed, skipped] = [0, 0, 0];
  for (const suite of suites) {
    let report;
    try {
      report = JSON.parse(readFileSync(`${folder}/${suite}.json`, 'utf8'));
    } catch {
      console.error(`the ${suite} suite wrote no report`);
      failed++;
      continue;
    }
    passed += report.numPassedTests;
    // A file that fails to load has no failed test of its own.
    failed += Math.max(report.numFailedTests, report.success ? 0 : 1);
    skipped += report.numPendingTests + report.numTodoTests;
    if (report.numTotalTests === 0) failed++;
  }
  if (!well && failed === 0) failed++;
  return { failed, line: `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}` };
}
