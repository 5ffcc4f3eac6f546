/** Ending the portal links and tokens that somebody has made, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/**
 * What a user has made and has not ended, as a condition on `portal_links`. Ask while the user is a member of the
 * tenants: without the membership, none of it works.
 */
export const portalLinksMadeBy = (userId: string | SQL, nowMs: number): SQL =>
  sql`portal_links.tenant_id IN (SELECT tenant_id FROM memberships WHERE user_id = ${userId})
    AND portal_links.expires_at > ${nowMs} AND portal_links.maker_kind = 'user' AND portal_links.maker_id = ${userId}`;

/** How many a user has that work. */
export async function countPortalLinks({ db, now }: Deps, userId: string): Promise<number> {
  const counted = await queryFirst<{ count: number }>(db)`SELECT count(*) AS count FROM portal_links
    WHERE ${portalLinksMadeBy(userId, now())}`;
  return counted?.count ?? 0;
}

/** Ends them if `condition` holds, SQL. */
export const endPortalLinks = (userId: string | SQL, condition: SQL, nowMs: number): SQL =>
  sql`UPDATE portal_links SET expires_at = ${nowMs} WHERE ${portalLinksMadeBy(userId, nowMs)} AND ${condition}`;
