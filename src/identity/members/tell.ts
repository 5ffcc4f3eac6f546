/** The mails to the owners about a member who gets another role, leaves or is removed. */
import type { Deps } from "../../platform/deps";
import type { TenantNews } from "../../platform/mail/job";
import { managesMembers, type Role } from "../../platform/schemas/roles";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { namesOfLeft } from "./left-subscriptions";

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
 * which something of the member stops or stays. The mail names the subscriptions that stay.
 */
export function tellOfMember(deps: Deps, change: Change, news: MemberNews): void {
  if (change.role !== change.formerRole) deps.background("notice to owners", tell(deps, change, news));
}

async function tell(deps: Deps, change: Change, news: MemberNews): Promise<void> {
  const { tenantId, userId, formerRole, role } = change;
  const subscriptions = await namesOfLeft(deps, change, role);
  const stops = "keys" in news && news.keys !== undefined && news.keys.length > 0;
  if (!stops && subscriptions.length === 0 && !managesMembers(formerRole) && !managesMembers(role ?? "")) return;
  tellOwners(deps, tenantId, { ...news, subscriptions }, news.what === "left" ? undefined : userId);
}
