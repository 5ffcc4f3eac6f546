/** The gate over commit subjects, which `git log --oneline` shows in one line. */
import { type Finding, finding, run } from "./gate.ts";

const MAX_CHARACTERS = 72;
/** More than one change has. A clean clone does not tell which of its commits are new. */
const NEWEST_COMMITS = 200;

/** Checks the newest commits. Older ones have longer subjects. */
export async function checkCommits(): Promise<Finding> {
  const name = `subjects of the newest ${NEWEST_COMMITS} commits (at most ${MAX_CHARACTERS} characters)`;
  const newest = await run(["git", "log", `-${NEWEST_COMMITS}`, "--format=%s"]);
  if (!newest.ok) return { name, result: "skipped", output: "no git repository" };
  const long = newest.output.split("\n").filter((subject) => subject.length > MAX_CHARACTERS);
  return finding(name, long.length === 0, long.join("\n"));
}
