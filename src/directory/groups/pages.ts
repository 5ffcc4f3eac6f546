/** The groups of a directory as owners see them: how many are in each, and the role that a rule gives them. */

import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Role } from "../../base/schemas/roles";
import { connectionOf } from "../../sign-on/connections/manage";
import { decidedByGroups } from "../../sign-on/rules/roles";
import { readGroupsAfter } from "./read-store";

export interface ListedGroup {
  id: string;
  name: string;
  /** Up to 501. */
  members: number;
  /** Of the first rule that names it; null: none does, or a rule about a claim comes first. */
  role: Role | null;
}

const PAGE = 50;

/** The groups after an id, in the order of their ids. `next`: the last id, if there are more. Throws NOT_FOUND. */
export async function pageOfGroups(
  deps: Deps,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  after: string,
): Promise<{ groups: ListedGroup[]; next: string | null }> {
  const { settings } = await connectionOf(deps, tenantId, connectionId);
  const { rules } = decidedByGroups(settings.roles);
  // One more shows whether there is a next page.
  const { found } = await atomically(deps.db, { found: readGroupsAfter(connectionId, after, PAGE + 1) });
  const groups = found.slice(0, PAGE).map(({ id, displayName, size }) => ({
    id,
    name: displayName,
    members: size ?? 0,
    role: rules.find(({ group }) => group === id || group === displayName)?.role ?? null,
  }));
  return { groups, next: found.length > PAGE ? (groups.at(-1)?.id ?? null) : null };
}
