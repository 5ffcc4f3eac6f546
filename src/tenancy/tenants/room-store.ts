/** How many members a tenant may still have, in D1. */
import { type SQL, sql } from "drizzle-orm";

/**
 * How many members of a tenant count in `MAX_MEMBERS_PER_TENANT`, as SQL: those of its directories have a cap of their
 * own. Both numbers are kept by triggers, so that no join counts 100,000 members.
 */
export const countedMembers = (tenantId: SQL | string): SQL =>
  sql`(SELECT rt.member_count - coalesce((SELECT sum(rc.directory_active) FROM connections rc
    WHERE rc.tenant_id = rt.id), 0) FROM tenants rt WHERE rt.id = ${tenantId})`;
