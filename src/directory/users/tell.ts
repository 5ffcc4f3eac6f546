/** Whom owners are told of: another owner who has left at once, many who leave together at once, others once a day. */
import type { Deps } from "../../base/deps";
import { decidedByGroups, type RulingDirectory } from "../../sign-on/rules/roles";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import type { DirectoryActor } from "../callers/caller";
import type { DirectoryAccount } from "./account-store";
import { noteManyAfterwards } from "./tell-store";

/** `together`: how many have left together, of whom owners are to be told now; undefined: they are not that many. */
export function tellOfDeparture(
  deps: Deps,
  { tenantId, name }: DirectoryActor,
  account: DirectoryAccount | null,
  together: { count: number } | undefined,
): void {
  if (account?.role === "owner") {
    tellOwners(deps, tenantId, { what: "directoryOwner", directory: name, person: account.email });
  }
  if (together) tellOwners(deps, tenantId, { what: "directoryMany", directory: name, count: together.count });
}

/** Tells of many who have left their last group with a role, which keeps them out only without a default role. */
export function tellOfLeavers(deps: Deps, directory: RulingDirectory): void {
  const { tenantId, roles, actor } = directory;
  if (decidedByGroups(roles).otherwise !== null) return;
  const tell = async () => {
    const together = await noteManyAfterwards(deps, directory, deps.now());
    if (!together) return;
    tellOwners(deps, tenantId, { what: "directoryMany", directory: actor.name ?? "", count: together.count });
  };
  deps.background("tell of leavers", tell());
}
