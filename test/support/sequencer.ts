/** The order of the test files: what waits runs beside what computes, instead of alone at the end. */
import { statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that sleep most of their time: for retries, timeouts and deliveries that are late. The longest is first. */
const ASLEEP = [
  "limited-deliveries.isolated",
  "slow-subscriptions.isolated",
  // Compiles Go's standard library.
  "verify-snippets.node",
  "dev-kill.node",
  "pages.browser",
  "main-job",
  "delivery",
];

/**
 * What starts programs comes before the service's files, which change the state of their runtime as rarely as possible.
 */
const SUFFIXES = [/\.(node|browser)\.test\.ts$/, /\.isolated\.test\.ts$/, /\.jobs\.test\.ts$/, /\.test\.ts$/];

/**
 * Puts files that sleep first, and then the largest of each suffix. Without a sequencer and without results of an
 * earlier run, as in CI, vitest sorts by the name of the project.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => ({ file, rank: rankOf(file.moduleId), bytes: statSync(file.moduleId).size }));
    return ranked.sort((a, b) => a.rank - b.rank || b.bytes - a.bytes).map(({ file }) => file);
  }
}

/** A number that is lower for a file that starts earlier. */
function rankOf(file: string): number {
  const asleep = ASLEEP.indexOf(file.match(/([^/]+)\.test\.ts$/)?.[1] ?? "");
  return asleep >= 0 ? asleep : ASLEEP.length + SUFFIXES.findIndex((suffix) => suffix.test(file));
}
