/** The order of the test files: programs, then what waits beside what computes, so that nothing is alone at the end. */
import { statSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What starts programs. Vitest ends a runtime of the service when the next file in the queue is one of these. */
const PROGRAM = /\.(node|browser)\.test\.ts$/;

/** Files of the service that sleep most of their time: for retries, timeouts and deliveries that are late. */
const ASLEEP = ["limited-deliveries.isolated", "slow-subscriptions.isolated", "main-job", "delivery"];

/** The others, by what they do to their runtime, whose state changes as rarely as possible. */
const SUFFIXES = [/\.isolated\.test\.ts$/, /\.jobs\.test\.ts$/, /\.test\.ts$/];

/** Files that take long although they are short, the longest first: one that began last would end alone. */
const LONG = [
  "pages.browser",
  "deploy.node",
  "dev.node",
  // Compiles Go's standard library.
  "snippets.node",
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
  "pages",
  "imported-hashes",
  "every-route",
  "hostile-bodies",
];

/**
 * Puts programs first, then files that sleep, and then the longest and the largest of each suffix. Without a sequencer
 * and without results of an earlier run, as in CI, vitest sorts by the name of the project.
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
  const place = LONG.includes(name) ? LONG.indexOf(name) : LONG.length;
  if (PROGRAM.test(file)) return { group: 0, place };
  if (ASLEEP.includes(name)) return { group: 1, place: ASLEEP.indexOf(name) };
  return { group: 2 + SUFFIXES.findIndex((suffix) => suffix.test(file)), place };
}
