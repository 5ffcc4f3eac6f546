/** The mails to the owners about a member who gets another role, leaves or is removed. */
import type { Deps } from "../../base/deps";
import type { TenantNews } from "../../base/mail/job";
import { managesMembers, type Role } from "../../base/schemas/roles";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { namesOfKeys } from "./ended-keys";
import { connectionsLeftBy, namesOfConnections } from "./left-connections";
import { tenantKeysLeftBy } from "./left-keys";
import { MAX_NAMED, namesOfLeft } from "./left-subscriptions";

type MemberNews = Extract<TenantNews, { what: "roleChanged" | "removed" | "left" }>;

/** A member, and the roles before and after; null: no member any more. */
interface Change {
  tenantId: string;
  userId: string;
  formerRole: string;
  role: Role | null;
}

/**
 * Tells the owners, after the answer, of a change that concerns them: of a role that manages members, or one after
 * which something of the member stops or stays. The mail names what stays.
 */
export function tellOfMember(deps: Deps, change: Change, news: MemberNews): void {
  if (change.role !== change.formerRole) deps.background("notice to owners", tell(deps, change, news));
}

async function tell(deps: Deps, change: Change, news: MemberNews): Promise<void> {
  const { tenantId, userId, formerRole, role } = change;
  const subscriptions = await namesOfLeft(deps, change, role);
  const tenantKeys = namesOfKeys(await tenantKeysLeftBy(deps, change, role)).slice(0, MAX_NAMED);
  const connections = namesOfConnections(await connectionsLeftBy(deps, change, role));
  const stops = "keys" in news && news.keys !== undefined && news.keys.length > 0;
  const stays = subscriptions.length + tenantKeys.length + connections.length > 0;
  if (!stops && !stays && !managesMembers(formerRole) && !managesMembers(role ?? "")) return;
  const named = { ...news, subscriptions, tenantKeys, connections };
  tellOwners(deps, tenantId, named, news.what === "left" ? undefined : userId);
}
