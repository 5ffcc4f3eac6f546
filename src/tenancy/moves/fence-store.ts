/**
 * The fence around the database that a tenant leaves: what users write must go to the other one. Every batch that
 * writes something of users begins with `refuseDeparted`, so that a request that began before the move cannot write to
 * the old database after the copy.
 */
import { type SQL, sql } from "drizzle-orm";

/** Whether the tenant leaves or has left this database, as SQL. `tenantId` is a qualified column or a value. */
export const hasDeparted = (tenantId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM departed_tenants dt WHERE dt.tenant_id = ${tenantId})`;

/** Fails its batch if the tenant leaves or has left this database: it inserts the row again, which the key forbids. */
export const refuseDeparted = (tenantId: string | ReturnType<typeof sql.placeholder>): SQL =>
  sql`INSERT INTO departed_tenants (tenant_id, since) SELECT tenant_id, since FROM departed_tenants
    WHERE tenant_id = ${tenantId}`;
