/** Prints the suite's counts from the reporter's JSON, alone on one line; fails when no test ran or one failed. */
import { readFileSync } from "node:fs";

const [file = ""] = process.argv.slice(2);
const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(file, "utf8")) as {
  numPassedTests: number;
  numFailedTests: number;
};
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed === 0 || failed > 0 ? 1 : 0);
