/** The work of directories that every minute may have: one question asks for all of it, and mostly there is none. */
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { type DueWork, findDueWork } from "./due-store";

/** What the runs have been answered, each at its first question. */
const answers = new WeakMap<Deps, Promise<DueWork>>();

function dueIn(deps: Deps): Promise<DueWork> {
  const answer = answers.get(deps) ?? findDueWork(deps, deps.now());
  answers.set(deps, answer);
  return answer;
}

/** The same work, which begins when there is some. What comes later waits for the next minute. */
export const whenDue =
  (kind: keyof DueWork, work: PagedMaintenance): PagedMaintenance =>
  async (deps, shard, cursor, isOver) =>
    cursor !== "" || (await dueIn(deps))[kind] ? work(deps, shard, cursor, isOver) : null;
