/** The connection of a sign-on in D1. Nobody is signed in yet: the connection, or the tenant's name, leads to it. */
import { query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { IS_OPEN } from "../../identity/policy/open-connection-store";
import { idOfTenant } from "../../tenancy/tenants/store";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import { CONNECTION, type ConnectionRow, parsedConnection, type StoredConnection } from "../connections/store";

export async function findById({ db }: Deps, id: string): Promise<ConnectionRow | undefined> {
  const found = await queryFirst<StoredConnection>(db)`SELECT ${CONNECTION} FROM connections c WHERE c.id = ${id}`;
  return found && parsedConnection(found);
}

/** The tenant's only connection through which people sign on; undefined for none or several. */
export async function findOnlyOpen({ db }: Deps, tenantRef: string): Promise<ConnectionRow | undefined> {
  const found = await query<StoredConnection>(db)`SELECT ${CONNECTION} FROM connections c
    WHERE c.tenant_id = ${idOfTenant(parseTenantName(tenantRef))} AND c.tenant_id <> ${PLATFORM_TENANT}
      AND ${IS_OPEN} LIMIT 2`;
  const [only, other] = found;
  return only && !other ? parsedConnection(only) : undefined;
}

/** Whether the domain is proved to be the tenant's now. */
export async function isProvedDomain({ db }: Deps, tenantId: string, domain: string): Promise<boolean> {
  const found = await queryFirst<{ tenantId: string }>(db)`SELECT pd.tenant_id AS tenantId FROM domains pd
    WHERE pd.domain = ${domain} AND pd.state = 'proved'`;
  return found?.tenantId === tenantId;
}
