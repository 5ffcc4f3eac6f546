/** What operators have frozen: deliveries wait, and no attempt is made. */
import { type SQL, sql } from "drizzle-orm";

/** The `tenant_id` of a freeze of all tenants of a database. */
export const ALL_TENANTS = "";

const isHeld = (tenantId: SQL): SQL => sql`EXISTS (SELECT 1 FROM sends_held sh WHERE sh.tenant_id = ${tenantId})`;

/**
 * Whether an operator has frozen this tenant or all tenants, as SQL. `tenantId` is a qualified column or a value. The
 * first part is read once a statement; a list of both would be read for each row.
 */
export const isFrozen = (tenantId: SQL): SQL => sql`(${isHeld(sql.raw(`'${ALL_TENANTS}'`))} OR ${isHeld(tenantId)})`;
