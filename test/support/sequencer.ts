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

/** Files that take long although they are short, the longest first: one that began last would end alone. */
const LONG = [
  "deploy.node",
  "faults.isolated",
  "purge.isolated",
  "subscription-health.jobs",
  "sign-in-methods",
  "session-service",
  "permissions",
  "ways-inside",
  "known-devices",
  "upgrade",
  "caps-in-parallel",
  "foreign-ids",
  "audit-routes",
  "login",
];

/**
 * Puts files that sleep first, and then the longest and the largest of each suffix. Without a sequencer and without
 * results of an earlier run, as in CI, vitest sorts by the name of the project.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => ({ file, ...ranksOf(file.moduleId), bytes: statSync(file.moduleId).size }));
    return ranked.sort((a, b) => a.group - b.group || a.place - b.place || b.bytes - a.bytes).map(({ file }) => file);
  }
}

/** The group of a file and its place in it: lower numbers start earlier. */
function ranksOf(file: string): { group: number; place: number } {
  const name = file.match(/([^/]+)\.test\.ts$/)?.[1] ?? "";
  const asleep = ASLEEP.indexOf(name);
  const group = asleep >= 0 ? asleep : ASLEEP.length + SUFFIXES.findIndex((suffix) => suffix.test(file));
  return { group, place: LONG.includes(name) ? LONG.indexOf(name) : LONG.length };
}
