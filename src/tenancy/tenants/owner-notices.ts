/** Mails to the owners of a tenant about changes in it that an intruder would make. */
import type { Deps } from "../../base/deps";
import type { TenantNews } from "../../base/mail/job";
import { queueMailIfPossible } from "../../base/mail/queue";
import { managesMembers, type Role } from "../../base/schemas/roles";
import { readVerifiedOwners } from "./verified-store";

/**
 * Mails news to the verified owners of a tenant after the answer, and to the member whom it concerns. Nobody is told
 * about a tenant that has been deleted.
 */
export function tellOwners(deps: Deps, tenantId: string, news: TenantNews, memberId?: string): void {
  deps.background("notice to owners", mailOwners(deps, tenantId, news, memberId));
}

/** Tells the owners who joined before a time (Unix ms). */
export function tellFormerOwners(deps: Deps, tenantId: string, beforeMs: number, news: TenantNews): void {
  const mail = async () => {
    const { tenantName, ownerIds } = await readVerifiedOwners(deps, tenantId, beforeMs);
    await mailNews(deps, new Set(ownerIds), tenantName, news);
  };
  deps.background("notice to owners", mail());
}

async function mailOwners(deps: Deps, tenantId: string, news: TenantNews, memberId?: string): Promise<void> {
  const { tenantName, ownerIds } = await readVerifiedOwners(deps, tenantId);
  const told = (await isForOwners(deps, tenantId, news)) ? ownerIds : [];
  await mailNews(deps, new Set(memberId === undefined ? told : [...told, memberId]), tenantName, news);
}

/** What happens to a single member. Of 100,000, thousands can leave in a minute. */
const OF_MEMBERS: ReadonlySet<TenantNews["what"]> = new Set(["joined", "roleChanged", "removed", "left"]);
/** Of how many members the owners of a tenant are told in a day. The audit log has all. */
const MOST_MEMBERS_TOLD_OF = 60;

async function isForOwners({ limiter }: Deps, tenantId: string, { what }: TenantNews): Promise<boolean> {
  if (!OF_MEMBERS.has(what)) return true;
  try {
    const verdict = await limiter.consume("minorNotice", `members of ${tenantId}`, 1, MOST_MEMBERS_TOLD_OF);
    return verdict?.allowed ?? true;
  } catch {
    // Who is told still has a limit of their own.
    return true;
  }
}

/** Tells the owners that somebody has joined, if their role manages members. */
export function tellOfJoining(
  deps: Deps,
  { tenantId, role }: { tenantId: string; role: Role },
  member: { userId: string; email: string },
): void {
  if (managesMembers(role)) deps.background("notice to owners", mailJoining(deps, tenantId, role, member));
}

async function mailJoining(
  deps: Deps,
  tenantId: string,
  role: Role,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const { tenantName, ownerIds } = await readVerifiedOwners(deps, tenantId);
  const others = ownerIds.filter((id) => id !== userId);
  const news = { what: "joined", person: email, role } as const;
  if (await isForOwners(deps, tenantId, news)) await mailNews(deps, new Set(others), tenantName, news);
}

async function mailNews(deps: Deps, userIds: ReadonlySet<string>, tenantName: string, news: TenantNews): Promise<void> {
  for (const userId of userIds) await queueMailIfPossible(deps, { kind: "tenantNotice", userId, tenantName, news });
}
