/** Whom owners are told of: another owner who has left at once, many who leave together at once, others once a day. */
import type { Deps } from "../../base/deps";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import type { DirectoryActor } from "../callers/caller";
import type { DirectoryAccount } from "./account-store";
import { noteDeparture } from "./tell-store";

export function tellOfDeparture(deps: Deps, caller: DirectoryActor, account: DirectoryAccount | null): void {
  const { tenantId, name } = caller;
  if (account?.role === "owner") {
    tellOwners(deps, tenantId, { what: "directoryOwner", directory: name, person: account.email });
  }
  deps.background("notice to owners", tellOfMany(deps, caller));
}

async function tellOfMany(deps: Deps, { connectionId, tenantId, name }: DirectoryActor): Promise<void> {
  const count = await noteDeparture(deps, connectionId, deps.now());
  if (count > 0) tellOwners(deps, tenantId, { what: "directoryMany", directory: name, count });
}
