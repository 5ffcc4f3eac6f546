/** The gate over commit subjects, which `git log --oneline` shows in one line. */
import { type Finding, finding, run } from "./gate.ts";

const MAX_CHARACTERS = 72;

/** Checks the newest commit, and those that are not in the branch that this one follows. */
export async function checkCommits(): Promise<Finding> {
  const name = `subjects of new commits (at most ${MAX_CHARACTERS} characters)`;
  const newest = await run(["git", "log", "-1", "--format=%s"]);
  if (!newest.ok) return { name, result: "skipped", output: "no git repository" };
  const ours = await run(["git", "log", "--format=%s", "@{upstream}..HEAD"]);
  const subjects = [newest, ours].flatMap(({ ok, output }) => (ok ? output.split("\n") : []));
  const long = new Set(subjects.filter((subject) => subject.length > MAX_CHARACTERS));
  return finding(name, long.size === 0, [...long].join("\n"));
}
