/** The mails to the owners about a member who gets another role, leaves or is removed. */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { TenantNews } from "../../platform/mail/job";
import { managesMembers, type Role } from "../../platform/schemas/roles";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { subscriptionsLeftBy } from "./left-subscriptions";

/** A mail names no more. */
const MAX_NAMED = 30;

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
  const subscriptions = await namesOfLeft(deps, change);
  const stops = "keys" in news && news.keys !== undefined && news.keys.length > 0;
  if (!stops && subscriptions.length === 0 && !managesMembers(formerRole) && !managesMembers(role ?? "")) return;
  tellOwners(deps, tenantId, { ...news, subscriptions }, news.what === "left" ? undefined : userId);
}

/** None if their database does not answer: the mail is more important. */
async function namesOfLeft(deps: Deps, { tenantId, userId, role }: Change): Promise<string[]> {
  try {
    const left = await subscriptionsLeftBy(deps, { tenantId, userId }, role);
    return left.slice(0, MAX_NAMED).map(({ name, url }) => `"${name}" (${URL.parse(url)?.host ?? ""})`);
  } catch (error) {
    log("error", "background work failed", { what: "subscriptions of a member", ...describeError(error) });
    return [];
  }
}
