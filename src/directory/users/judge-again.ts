/** Every minute: people who were held because no rule gave them a role, and have come into a group with one. */
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { SYSTEM } from "../../base/schemas/actor";
import { ScimError } from "../protocol/error";
import { findToJudge, type PersonToJudge } from "./judge-again-store";
import { changeUser, findPresent } from "./users";

const PAGE = 25;

/** The cursor names the last one, so that somebody who cannot be judged now holds up nobody else. */
export const judgeHeldAgain: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  let [connectionId = "", id = ""] = cursor.split(" ");
  while (!isOver()) {
    const people = await findToJudge(deps, { connectionId, id }, PAGE);
    for (const person of people) {
      await judgeAgain(deps, person);
      ({ connectionId, id } = person);
      if (isOver()) return `${connectionId} ${id}`;
    }
    if (people.length < PAGE) return null;
  }
  return `${connectionId} ${id}`;
};

async function judgeAgain(deps: Deps, { id, connectionId, tenantId, name, version, settings }: PersonToJudge) {
  const found = await findPresent(deps, connectionId, id);
  if (!found) return;
  const actor = { ...SYSTEM, kind: "connection", id: connectionId, name } as const;
  try {
    await changeUser(deps, { connectionId, tenantId, name, version, settings, actor }, found, ({ record }) => record);
  } catch (error) {
    // Something changed at the same time. The next run judges again.
    if (!(error instanceof ScimError)) throw error;
  }
}
