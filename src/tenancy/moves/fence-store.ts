/**
 * The fence around the database that a tenant leaves: what users write must go to the other one. Every batch that
 * writes something of users begins with `refuseDeparted`, so that a request that began before the move cannot write to
 * the old database after the copy.
 */
import { type SQL, sql } from "drizzle-orm";

/** The time of the database itself, Unix ms. One clock decides whether a fence stands, whoever asks. */
export const DATABASE_NOW: SQL = sql.raw("CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)");

/** Whether a row of `departed_tenants` refuses: it is sealed, or has not lapsed. */
export const isUp = (row: SQL): SQL => sql`(${row}.lapses_at IS NULL OR ${row}.lapses_at > ${DATABASE_NOW})`;

/** Whether the tenant leaves or has left this database, as SQL. `tenantId` is a qualified column or a value. */
export const hasDeparted = (tenantId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM departed_tenants dt WHERE dt.tenant_id = ${tenantId} AND ${isUp(sql.raw("dt"))})`;

/** Fails its batch if the tenant leaves or has left this database: it inserts the row again, which the key forbids. */
export const refuseDeparted = (tenantId: string | ReturnType<typeof sql.placeholder>): SQL =>
  sql`INSERT INTO departed_tenants (tenant_id, since) SELECT dt.tenant_id, dt.since FROM departed_tenants dt
    WHERE dt.tenant_id = ${tenantId} AND ${isUp(sql.raw("dt"))}`;
