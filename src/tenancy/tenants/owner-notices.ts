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
  await mailNews(deps, new Set(memberId === undefined ? ownerIds : [...ownerIds, memberId]), tenantName, news);
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
  await mailNews(deps, new Set(others), tenantName, { what: "joined", person: email, role });
}

async function mailNews(deps: Deps, userIds: ReadonlySet<string>, tenantName: string, news: TenantNews): Promise<void> {
  for (const userId of userIds) await queueMailIfPossible(deps, { kind: "tenantNotice", userId, tenantName, news });
}
