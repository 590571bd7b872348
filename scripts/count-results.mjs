// Adds up the suites' JSON reports and prints the plain closing line. A suite that wrote no report, or ran no test, is a
// failure: a check that did not run must not look like one that passed. Usage: count-results.mjs FOLDER
import { readFileSync } from 'node:fs';

const folder = process.argv[2];
let passed = 0;
let failed = 0;
let skipped = 0;
for (const suite of ['npm', 'vscode', 'engines']) {
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
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);
