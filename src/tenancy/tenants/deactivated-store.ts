/** Whom the directory of a tenant keeps out, in D1: a record of theirs is inactive, or was removed lately. */
import { type SQL, sql } from "drizzle-orm";

const LEFT = sql.raw("IN ('inactive', 'removed')");

/**
 * True while a directory of the tenant says that somebody has left. Reads no row of a tenant without a connection.
 * `userId` and `email` are values or SQL; a subquery for them runs only where there is a connection. `except`: a
 * connection whose records do not count.
 */
export function isDeactivated(
  tenantId: SQL | string,
  { userId, email }: { userId: SQL | string; email: SQL | string },
  except?: string,
): SQL {
  const connection = sql`dc.tenant_id = ${tenantId} ${except === undefined ? sql`` : sql`AND dc.id <> ${except}`}`;
  return sql`EXISTS (SELECT 1 FROM connections dc WHERE ${connection} AND (
    EXISTS (SELECT 1 FROM directory_users dd WHERE dd.user_id = ${userId} AND dd.connection_id = dc.id
      AND dd.state ${LEFT})
    OR EXISTS (SELECT 1 FROM directory_users dd INDEXED BY directory_users_by_email
      WHERE dd.connection_id = dc.id AND dd.email = ${email} AND dd.state ${LEFT})))`;
}
