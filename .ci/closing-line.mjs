// node closing-line.mjs REPORT FAILED_STEPS: prints "N passed, N failed" and exits 1 unless all passed.
// Runs before `npm ci` succeeded too, so it needs nothing but Node.
import { readFileSync } from "node:fs";

const [reportFile, failedSteps] = process.argv.slice(2);
const { passed, failed } = count(readReport(reportFile));
// The step "test" fails because of failed tests, which are counted already; alone it still counts.
const total = Math.max(failed, 0) + Math.max(Number(failedSteps) - (failed > 0 ? 1 : 0), 0);
const nothingRan = passed + total === 0;
process.stdout.write(`${passed} passed, ${nothingRan ? 1 : total} failed\n`);
process.exitCode = total > 0 || nothingRan ? 1 : 0;

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Skipped and unwritten tests count as failed, and so does a file that could not even be loaded. */
function count(report) {
  if (report === undefined) return { passed: 0, failed: 0 };
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numTotalTests - report.numPassedTests + broken.length,
  };
}
